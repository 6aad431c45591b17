import { allMigrations } from '../../../migrations.ts';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import { createLog } from '../../../platform/log.ts';
import { Metrics } from '../../../platform/metrics.ts';
import type { RefProject } from '../ref-updates.ts';
import { openParts } from './parts.ts';

/**
 * A process that moves refs and kills itself on the way: before or after the n-th transaction of the update. Transactions
 * stand between the steps, so that this reaches every gap without anything in the code that is for tests only.
 */
export interface VictimTask {
  dir: string;
  url: string | undefined;
  project: RefProject;
  updates: { ref: string; old: string | null; new: string | null }[];
  kill: { when: 'before' | 'after'; transaction: number };
}

if (process.argv[2] !== undefined) await run(JSON.parse(process.argv[2]) as VictimTask);

async function run(task: VictimTask): Promise<void> {
  const log = createLog('silent');
  const { dir, url } = task;
  const database = await openDatabase({
    dir,
    url,
    migrations: allMigrations(),
    log,
    metrics: new Metrics(),
    synchronous: 'full',
  });
  const parts = openParts(deadly(database, task.kill), dir);
  await parts.refUpdates.update(task.project, task.updates, { userId: null, via: 'push' });
  // Only reached when the kill came later than the last transaction: an acknowledged update.
  process.kill(process.pid, 'SIGKILL');
}

function deadly(database: Database, kill: VictimTask['kill']): Database {
  let count = 0;
  const die = async () => {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  };
  return new Proxy(database, {
    get(target, key) {
      if (key !== 'transaction') return Reflect.get(target, key, target);
      return async (...args: Parameters<Database['transaction']>) => {
        count++;
        if (kill.when === 'before' && count === kill.transaction) await die();
        const result = await target.transaction(...args);
        if (kill.when === 'after' && count === kill.transaction) await die();
        return result;
      };
    },
  });
}
