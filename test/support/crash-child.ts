/** Commits things and events for ever, printing each number once it is acknowledged, until it is killed. */
import { writeSync } from 'node:fs';
import { allMigrations } from '../../src/migrations.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { createEvents } from '../../src/platform/events/events.ts';
import { createLog } from '../../src/platform/log.ts';
import { Metrics } from '../../src/platform/metrics.ts';
import { thingsMigration } from './test-things.ts';

const [dir = '', url] = process.argv.slice(2);
const log = createLog('silent');
const metrics = new Metrics();
const database = await openDatabase({
  dir,
  url,
  migrations: [...allMigrations(), thingsMigration],
  log,
  metrics,
});
const events = createEvents({ database, clock: systemClock, log, metrics });
events.subscribe('follower', ['test.thing'], async () => {
  // Hangs for good, so that everything is unfinished at the kill.
  await new Promise(() => {});
});
await events.start();
for (let amount = 0; ; amount++) {
  await database.transaction(async (tx) => {
    await tx
      .insertInto('test_things')
      .values({ name: `thing ${amount}`, amount })
      .execute();
    await events.publish(tx, { type: 'test.thing', stream: 'things', payload: { amount } });
  });
  writeSync(1, `${amount}\n`);
}
