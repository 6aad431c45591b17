import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { count, eventsOn, testClock } from '../../../test/support/test-events.ts';
import { Metrics } from '../metrics.ts';

forEachDatabase((_kind, open) => {
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
});
