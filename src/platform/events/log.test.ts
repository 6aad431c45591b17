import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { count, eventsOn, testClock } from '../../../test/support/test-events.ts';

forEachDatabase((kind, open) => {
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
