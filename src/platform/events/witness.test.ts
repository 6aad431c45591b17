import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { count, eventsOn } from '../../../test/support/test-events.ts';

forEachDatabase((_kind, open) => {
  it('tells a witness of what this process has committed, of its types only, before publishing ends', async () => {
    const database = await open();
    const events = eventsOn(database);
    const seen: string[] = [];
    events.witness(['test.counted'], ({ stream, payload }) => seen.push(`${stream} ${payload.n}`));
    await count(events, database, 'a', 1);
    assert.deepEqual(seen, ['a 1']);
    await database.transaction(async (tx) => {
      await events.publish(tx, { type: 'test.named', stream: 'a', payload: { name: 'x' } });
      await events.publish(tx, { type: 'test.counted', stream: 'b', payload: { n: 2 } });
      assert.deepEqual(seen, ['a 1']);
    });
    assert.deepEqual(seen, ['a 1', 'b 2']);
  });

  it('tells a witness nothing of what was rolled back', async () => {
    const database = await open();
    const events = eventsOn(database);
    const seen: number[] = [];
    events.witness(['test.counted'], ({ payload }) => seen.push(payload.n));
    const failing = database.transaction(async (tx) => {
      await events.publish(tx, { type: 'test.counted', stream: 'a', payload: { n: 1 } });
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    assert.deepEqual(seen, []);
  });

  it('says where the log ends, so that a reader can begin with what comes next', async () => {
    const database = await open();
    const events = eventsOn(database);
    assert.equal(await events.position(), 0);
    await events.start();
    await count(events, database, 'a', 1);
    await events.idle();
    const end = await events.position();
    await count(events, database, 'a', 2);
    await events.idle();
    const read = await events.readSince(end, ['test.counted'], 10);
    assert.deepEqual(
      read.map(({ payload }) => payload.n),
      [2],
    );
    await events.stop();
  });
});
