import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../db/database.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import type { DeliveredEvent } from './event.ts';
import { createEvents, type Events, type EventsOptions } from './events.ts';

declare module './event.ts' {
  interface EventTypes {
    'test.counted': { n: number };
    'test.named': { name: string };
  }
}

type Counted = DeliveredEvent<'test.counted'>;

function testClock() {
  let now = 1_700_000_000_000;
  return {
    now: () => now,
    advance(ms: number) {
      now += ms;
    },
  };
}

/** The poll is off unless a test is about it: what arrives, arrives because of a wake-up or of `idle`. */
function eventsOn(database: Database, options: Partial<EventsOptions> = {}): Events {
  const log = createLog('silent');
  return createEvents({
    database,
    clock: testClock(),
    log,
    metrics: new Metrics(),
    pollMs: 60_000,
    ...options,
  });
}

function count(events: Events, database: Database, stream: string, n: number): Promise<number> {
  return database.transaction((tx) => events.publish(tx, { type: 'test.counted', stream, payload: { n } }));
}

forEachDatabase((kind, open, create) => {
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

  describe('failures', () => {
    it('are tried again, holding up only their own stream for their own subscriber', async () => {
      const database = await open();
      const clock = testClock();
      const metrics = new Metrics();
      const events = eventsOn(database, { clock, metrics, backoff: { firstMs: 1000, maxMs: 4000 } });
      const got: string[] = [];
      let broken = true;
      events.subscribe('frail', ['test.counted'], async (event) => {
        if (broken && event.stream === 'bad') throw new Error(`broken ${'!'.repeat(1000)}`);
        got.push(`frail ${event.stream} ${event.payload.n} ${event.attempt}`);
      });
      events.subscribe('firm', ['test.counted'], async (event) => {
        got.push(`firm ${event.stream} ${event.payload.n} ${event.attempt}`);
      });
      await events.start();
      const first = await count(events, database, 'bad', 1);
      await count(events, database, 'bad', 2);
      await count(events, database, 'good', 3);
      await events.idle();
      assert.deepEqual(got.sort(), ['firm bad 1 1', 'firm bad 2 1', 'firm good 3 1', 'frail good 3 1']);

      const [failing, ...others] = await events.failing();
      assert.deepEqual(others, []);
      assert.ok(failing);
      assert.equal(failing.eventId, first);
      assert.equal(failing.subscriber, 'frail');
      assert.equal(failing.attempts, 1);
      assert.equal(failing.lastError.length, 500);
      assert.ok(failing.nextAttemptAt > clock.now() && failing.nextAttemptAt <= clock.now() + 1000);

      const text = await metrics.registry.metrics();
      assert.match(text, /ingot_outbox_depth 2/);
      assert.match(text, /ingot_outbox_failures_total\{subscriber="frail"\} 1/);

      got.length = 0;
      await events.idle();
      assert.deepEqual(got, [], 'nothing is due yet');
      clock.advance(1001);
      await events.idle();
      const [again] = await events.failing();
      assert.equal(again?.attempts, 2);
      const wait = (again?.nextAttemptAt ?? 0) - clock.now();
      assert.ok(
        wait >= 1000 && wait <= 2000,
        `${wait} ms is between half of and all of twice the first wait`,
      );

      broken = false;
      clock.advance(2001);
      await events.idle();
      await events.stop();
      assert.deepEqual(got, ['frail bad 1 3', 'frail bad 2 1']);
      assert.deepEqual(await events.failing(), []);
    });

    it('wait no longer than the cap', async () => {
      const database = await open();
      const clock = testClock();
      const events = eventsOn(database, { clock, backoff: { firstMs: 1000, maxMs: 4000 } });
      events.subscribe('frail', ['test.counted'], async () => {
        throw new Error('broken');
      });
      await events.start();
      await count(events, database, 's', 1);
      for (let attempt = 1; attempt <= 8; attempt++) {
        await events.idle();
        clock.advance(4001);
      }
      const [failing] = await events.failing();
      await events.stop();
      assert.equal(failing?.attempts, 8);
      assert.ok(failing.nextAttemptAt <= clock.now(), 'the last wait was at most the cap');
    });

    it('can be tried again by hand', async () => {
      const database = await open();
      const events = eventsOn(database);
      let broken = true;
      events.subscribe('frail', ['test.counted'], async () => {
        if (broken) throw new Error('broken\0');
      });
      await events.start();
      await count(events, database, 's', 1);
      await events.idle();
      const [failing] = await events.failing();
      assert.equal(failing?.lastError, 'Error: broken');
      broken = false;
      assert.equal(await events.retry(failing.id), true);
      await events.idle();
      assert.deepEqual(await events.failing(), []);
      assert.equal(await events.retry(failing.id), false);
      await events.stop();
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

  describe('the log', () => {
    it('is read by position, filtered by type, in pages', async () => {
      const database = await open();
      const events = eventsOn(database);
      await events.start();
      await Promise.all(Array.from({ length: 10 }, (_, n) => count(events, database, `s${n % 2}`, n)));
      await database.transaction((tx) =>
        events.publish(tx, { type: 'test.named', stream: 's', payload: { name: 'x' } }),
      );
      await events.idle();
      const page = await events.readSince(0, ['test.counted'], 4);
      const rest = await events.readSince(page.at(-1)?.position ?? 0, ['test.counted', 'test.named'], 100);
      await events.stop();
      assert.deepEqual(
        [...page, ...rest].map((event) => event.position),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      );
      assert.deepEqual(rest.at(-1)?.payload, { name: 'x' });
    });

    it('is swept past its retention, save for what somebody still waits for', async () => {
      const database = await open();
      const clock = testClock();
      const events = eventsOn(database, { clock, retentionMs: 1000, backoff: { firstMs: 1e9, maxMs: 1e9 } });
      events.subscribe('one', ['test.counted'], async (event) => {
        if (event.payload.n === 2) throw new Error('broken');
      });
      await events.start();
      for (const n of [1, 2]) await count(events, database, `s${n}`, n);
      clock.advance(2000);
      await count(events, database, 's3', 3);
      await events.idle();
      assert.equal(await events.sweep(), 1);
      const left = await events.readSince(0, ['test.counted'], 10);
      await events.stop();
      assert.deepEqual(
        left.map((event) => [event.position, event.payload.n]),
        [
          [2, 2],
          [3, 3],
        ],
      );
    });

    if (kind === 'postgres') {
      it('shows a late commit after what was read before it, never before', async () => {
        const database = await open();
        const events = eventsOn(database);
        await events.start();
        const published = Promise.withResolvers<void>();
        const mayCommit = Promise.withResolvers<void>();
        const slow = database.transaction(async (tx) => {
          await events.publish(tx, { type: 'test.counted', stream: 'slow', payload: { n: 1 } });
          published.resolve();
          await mayCommit.promise;
        });
        await published.promise;
        await count(events, database, 'quick', 2);
        await events.idle();
        const seen = await events.readSince(0, ['test.counted'], 10);
        mayCommit.resolve();
        await slow;
        await events.idle();
        const later = await events.readSince(seen.at(-1)?.position ?? 0, ['test.counted'], 10);
        await events.stop();
        assert.deepEqual(
          [seen.map((event) => event.payload.n), later.map((event) => event.payload.n)],
          [[2], [1]],
        );
      });
    }
  });
});
