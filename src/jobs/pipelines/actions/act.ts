import type { Core } from '../../../core/core.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import { childrenOf } from '../../bridges/store.ts';
import { cancelJobs } from '../../processing/cancel-job.ts';
import { retryJobs } from '../../processing/retry-pipeline.ts';
import type { JobRow } from '../../tables.ts';
import { lockPipeline } from '../store.ts';

type Deps = Pick<Core, 'database' | 'events' | 'clock'>;

/** Begins what failed or was cancelled again, for this user; nothing where the pipeline is gone. */
export async function retryPipeline(deps: Deps, pipelineId: number, userId: number): Promise<void> {
  await withPipeline(deps, pipelineId, (tx) => retryJobs(tx, deps, pipelineId, userId));
}

export interface CancelOptions {
  /** Which jobs; all of them by default. */
  chosen?: (job: JobRow) => boolean;
  /** Asked once the pipeline is locked: false leaves it, and the children below it, as they are. */
  only?: (tx: Tx) => Promise<boolean>;
}

/** Cancels a pipeline and the child pipelines below it; what has ended stays as it is. */
export async function cancelPipeline(
  deps: Deps,
  pipelineId: number,
  { chosen, only }: CancelOptions = {},
): Promise<void> {
  const cancel = (id: number) => withPipeline(deps, id, (tx) => cancelJobs(tx, deps, id, chosen));
  const canceled = await withPipeline(deps, pipelineId, async (tx) => {
    if (only && !(await only(tx))) return false;
    await cancelJobs(tx, deps, pipelineId, chosen);
    return true;
  });
  if (!canceled) return;
  const waiting = await childrenOf(deps.database.db, pipelineId);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    await cancel(id);
    waiting.push(...(await childrenOf(deps.database.db, id)));
  }
}

/** Who comes second waits for the lock, and sees what the first did. Null where the pipeline is gone. */
const withPipeline = <T>(deps: Deps, pipelineId: number, work: (tx: Tx) => Promise<T>): Promise<T | null> =>
  deps.database.transaction(async (tx) => ((await lockPipeline(tx, pipelineId)) ? work(tx) : null), {
    isolation: 'read committed',
  });
