import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { count, eventsOn, testClock } from '../../../test/support/test-events.ts';
import type { DeliveredEvent } from './event.ts';
import type { Events } from './events.ts';

type Counted = DeliveredEvent<'test.counted'>;

forEachDatabase((_kind, open, create) => {
  describe('publishing', () => {
    it('hands an event to those who asked for its type, and to nobody else', async () => {
      const database = await open();
      const events = eventsOn(database);
      const got: unknown[] = [];
      events.subscribe('first', ['test.counted'], async (event) => void got.push(['first', event.payload.n]));
      events.subscribe('second', ['test.counted', 'test.named'], async (event) => {
        got.push(['second', event.type === 'test.named' ? event.payload.name : event.payload.n]);
      });
      await events.start();
      await count(events, database, 'project:1', 7);
      await database.transaction((tx) =>
        events.publish(tx, { type: 'test.named', stream: 'project:2', payload: { name: 'x' } }),
      );
      await events.idle();
      await events.stop();
      assert.deepEqual(got.sort(), [
        ['first', 7],
        ['second', 7],
        ['second', 'x'],
      ]);
    });

    it('writes nothing down for those who do not want an event', async () => {
      const database = await open();
      const events = eventsOn(database);
      const got: number[] = [];
      const keep = async (event: Counted) => void got.push(event.payload.n);
      events.subscribe('even', ['test.counted'], keep, { wants: ({ payload }) => payload.n % 2 === 0 });
      for (const n of [1, 2, 3, 4]) await count(events, database, 'project:1', n);
      const deliveries = await database.db.selectFrom('event_deliveries').select('id').execute();
      assert.equal(deliveries.length, 2);
      await events.start();
      await events.idle();
      await events.stop();
      assert.deepEqual(got, [2, 4]);
    });

    it('tells a handler what, where, when and which attempt', async () => {
      const database = await open();
      const clock = testClock();
      const events = eventsOn(database, { clock });
      let got: Counted | undefined;
      events.subscribe('one', ['test.counted'], async (event) => {
        got = event;
      });
      await events.start();
      const id = await count(events, database, 'project:1', 7);
      await events.idle();
      await events.stop();
      const expected = { type: 'test.counted', stream: 'project:1', payload: { n: 7 }, attempt: 1 };
      assert.deepEqual(got, { ...expected, id, createdAt: clock.now() });
    });

    it('tells nothing of a transaction that was rolled back', async () => {
      const database = await open();
      const events = eventsOn(database);
      const got: number[] = [];
      events.subscribe('one', ['test.counted'], async (event) => void got.push(event.payload.n));
      await events.start();
      await assert.rejects(
        database.transaction(async (tx) => {
          await events.publish(tx, { type: 'test.counted', stream: 's', payload: { n: 1 } });
          throw new Error('no');
        }),
        /no/,
      );
      await count(events, database, 's', 2);
      await events.idle();
      await events.stop();
      assert.deepEqual(got, [2]);
      assert.equal((await events.readSince(0, ['test.counted'], 10)).length, 1);
    });

    it('wakes the dispatcher at the commit, without a poll', async () => {
      const database = await open();
      const events = eventsOn(database);
      const arrived = new EventTarget();
      events.subscribe('one', ['test.counted'], async () => void arrived.dispatchEvent(new Event('event')));
      await events.start();
      const signal = once(arrived, 'event');
      await count(events, database, 's', 1);
      await signal;
      await events.stop();
    });

    it('finds by its poll what another process published', async () => {
      const test = await create();
      const database = await test.open();
      const events = eventsOn(database, { pollMs: 5 });
      const arrived = new EventTarget();
      events.subscribe('one', ['test.counted'], async () => void arrived.dispatchEvent(new Event('event')));
      const other = eventsOn(database);
      other.subscribe('one', ['test.counted'], async () => assert.fail('only the leader hands out'));
      await events.start();
      await other.start();
      const signal = once(arrived, 'event');
      await count(other, database, 's', 1);
      await signal;
      await other.stop();
      await events.stop();
    });

    it('refuses a late subscriber, a second of the same name and an endless payload', async () => {
      const database = await open();
      const events = eventsOn(database);
      events.subscribe('one', ['test.named'], async () => {});
      assert.throws(() => events.subscribe('one', ['test.named'], async () => {}), /two subscribers/);
      await events.start();
      assert.throws(() => events.subscribe('two', ['test.named'], async () => {}), /after the start/);
      const payload = { name: 'x'.repeat(300_000) };
      await assert.rejects(
        database.transaction((tx) => events.publish(tx, { type: 'test.named', stream: 's', payload })),
        /too long/,
      );
      await events.stop();
    });
  });

  describe('order', () => {
    it('keeps the order within a stream', async () => {
      const database = await open();
      const events = eventsOn(database);
      const got = new Map<string, number[]>();
      events.subscribe('one', ['test.counted'], async (event) => {
        await sleep(Math.random() * 3);
        got.set(event.stream, [...(got.get(event.stream) ?? []), event.payload.n]);
      });
      await events.start();
      for (let n = 0; n < 45; n++) await count(events, database, `project:${n % 3}`, n);
      await events.idle();
      await events.stop();
      for (const stream of [0, 1, 2]) {
        const expected = Array.from({ length: 15 }, (_, index) => index * 3 + stream);
        assert.deepEqual(got.get(`project:${stream}`), expected);
      }
    });

    it('works streams side by side, up to its bound', async () => {
      const database = await open();
      const events = eventsOn(database, { concurrency: 2 });
      let running = 0;
      let most = 0;
      const bothIn = Promise.withResolvers<void>();
      events.subscribe('one', ['test.counted'], async () => {
        running++;
        most = Math.max(most, running);
        if (running === 2) bothIn.resolve();
        await bothIn.promise;
        running--;
      });
      await events.start();
      for (let n = 0; n < 6; n++) await count(events, database, `project:${n}`, n);
      await events.idle();
      await events.stop();
      assert.equal(most, 2);
    });
  });

  describe('a new start', () => {
    it('hands out again what was not finished', async () => {
      const test = await create();
      const database = await test.open();
      const before = eventsOn(database, { stopMs: 1 });
      const entered = Promise.withResolvers<void>();
      const never = Promise.withResolvers<void>();
      before.subscribe('one', ['test.counted'], async () => {
        entered.resolve();
        await never.promise;
      });
      await before.start();
      await count(before, database, 's', 1);
      await count(before, database, 's', 2);
      await entered.promise;
      await before.stop();
      await database.close();

      const reopened = await test.open();
      const events = eventsOn(reopened);
      const got: number[] = [];
      events.subscribe('one', ['test.counted'], async (event) => void got.push(event.payload.n));
      await events.start();
      await events.idle();
      await events.stop();
      assert.deepEqual(got, [1, 2]);
    });

    it('waits at the stop for a handler that is at work', async () => {
      const database = await open();
      const events = eventsOn(database);
      const entered = Promise.withResolvers<void>();
      let ended = false;
      events.subscribe('one', ['test.counted'], async () => {
        entered.resolve();
        await sleep(20);
        ended = true;
      });
      await events.start();
      await count(events, database, 's', 1);
      await entered.promise;
      await events.stop();
      assert.equal(ended, true);
    });

    it('gives the lead to the next when the leader stops', async () => {
      const database = await open();
      const got: string[] = [];
      const [first, second] = ['first', 'second'].map((name) => {
        const events = eventsOn(database, { pollMs: 5 });
        events.subscribe('one', ['test.counted'], async () => void got.push(name));
        return events;
      }) as [Events, Events];
      await first.start();
      await second.start();
      await count(second, database, 's', 1);
      await first.idle();
      await first.stop();
      await count(second, database, 's', 2);
      while (got.length < 2) await sleep(5);
      await second.stop();
      assert.deepEqual(got, ['first', 'second']);
    });
  });
});
