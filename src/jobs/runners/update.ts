import type { Core } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { announceRunner } from './announce.ts';
import { checkRunner, columnsOf, type RunnerFields } from './fields.ts';
import { updateRunner } from './store.ts';
import type { RunnerRow } from './tables.ts';

/** Changes what is said; throws 400 for what would not do, 404 where the runner is gone meanwhile. */
export async function changeRunner(
  core: Pick<Core, 'database' | 'clock' | 'events'>,
  runner: RunnerRow,
  fields: RunnerFields,
): Promise<RunnerRow> {
  const changes = columnsOf(fields);
  checkRunner({ ...runner, ...changes });
  const changed = await core.database.transaction(async (tx) => {
    const row = await updateRunner(tx, runner.id, { ...changes, updated_at: core.clock.now() });
    if (row) await announceRunner(tx, core, row.id);
    return row;
  });
  if (!changed) throw fail.recordNotFound();
  return changed;
}
