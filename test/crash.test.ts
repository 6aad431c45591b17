import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allMigrations } from '../src/migrations.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createEvents } from '../src/platform/events/events.ts';
import { createLog } from '../src/platform/log.ts';
import { Metrics } from '../src/platform/metrics.ts';
import { forEachDatabase, type TestDatabase } from './support/databases.ts';
import { thingsMigration } from './support/test-things.ts';

const script = fileURLToPath(new URL('support/crash-child.ts', import.meta.url));

function startWriter(test: TestDatabase) {
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  return spawn(process.execPath, [script, test.dir, ...(test.url ? [test.url] : [])], { stdio });
}

/** Reads what the writer acknowledges, kills it after `enough`, and returns the last number that it got out. */
async function killAfter(child: ChildProcess, enough: number): Promise<number> {
  const exited = once(child, 'exit');
  let last = -1;
  for await (const line of createInterface({ input: child.stdout! })) {
    last = Number(line);
    if (last === enough) child.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  return last;
}

forEachDatabase((kind, _open, create) => {
  it('a killed process loses nothing that it acknowledged, neither rows nor events', async () => {
    const migrations = [...allMigrations(), thingsMigration];
    const test = await create(migrations);
    const last = await killAfter(startWriter(test), 200);
    assert.ok(last >= 200);

    const database = await test.open();
    const rows = await database.db.selectFrom('test_things').select('amount').orderBy('amount').execute();
    // The commit after the last one heard of may have come through as well.
    assert.ok(rows.length === last + 1 || rows.length === last + 2, `${rows.length} rows for ${last + 1}`);

    const events = createEvents({
      database,
      clock: systemClock,
      log: createLog('silent'),
      metrics: new Metrics(),
    });
    const handled: number[] = [];
    events.subscribe('follower', ['test.thing'], async (event) => void handled.push(event.payload.amount));
    await events.start();
    await events.idle();
    await events.stop();
    assert.deepEqual(
      handled,
      rows.map((row) => row.amount),
    );
  });

  if (kind === 'sqlite') {
    it('a second process on the same folder is refused, until the first is killed', async () => {
      const test = await create([...allMigrations(), thingsMigration]);
      const child = startWriter(test);
      await once(child.stdout, 'data');
      await assert.rejects(test.open(), /another Ingot process is using the data folder/);
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await test.open();
    });
  }
});
