import type { Core } from '../../core/core.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { childrenOf } from '../bridges/store.ts';
import { lockPipeline } from '../pipeline-store.ts';
import { cancelJobs } from '../processing/cancel-job.ts';
import { retryJobs } from '../processing/retry-pipeline.ts';
import type { JobRow } from '../tables.ts';

type Deps = Pick<Core, 'database' | 'events' | 'clock'>;

/** Begins what failed or was cancelled again, for this user; nothing where the pipeline is gone. */
export async function retryPipeline(deps: Deps, pipelineId: number, userId: number): Promise<void> {
  await withPipeline(deps, pipelineId, (tx) => retryJobs(tx, deps, pipelineId, userId));
}

/** Cancels what `chosen` takes of a pipeline and of the child pipelines below it; one that has ended stays as it is. */
export async function cancelPipeline(
  deps: Deps,
  pipelineId: number,
  chosen?: (job: JobRow) => boolean,
): Promise<void> {
  const waiting = [pipelineId];
  const seen = new Set(waiting);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const own = id;
    await withPipeline(deps, own, (tx) => cancelJobs(tx, deps, own, chosen));
    for (const child of await childrenOf(deps.database.db, own)) {
      if (!seen.has(child)) waiting.push(child);
      seen.add(child);
    }
  }
}

/** Who comes second waits for the lock, and sees what the first did. */
const withPipeline = (deps: Deps, pipelineId: number, work: (tx: Tx) => Promise<unknown>) =>
  deps.database.transaction(
    async (tx) => {
      if (await lockPipeline(tx, pipelineId)) await work(tx);
    },
    { isolation: 'read committed' },
  );
