import type { Tx } from '../../platform/db/tables.ts';
import { cloneJob } from './clone-job.ts';
import { enqueueJob } from './enqueue.ts';
import { processPipeline } from './process-pipeline.ts';
import { resetSkipped } from './reset-skipped.ts';
import { isActionable, isRetryable } from './retry-job.ts';
import { currentJobIds, findJobById } from './store.ts';
import type { JobDeps } from './transitions.ts';

/**
 * Begins every failed or cancelled job of a pipeline again, for the user, and with them what was skipped behind. The caller has
 * locked the pipeline. Returns how many new jobs there are.
 */
export async function retryJobs(tx: Tx, deps: JobDeps, pipelineId: number, userId: number): Promise<number> {
  let count = 0;
  for (const id of await currentJobIds(tx, pipelineId)) {
    const job = await findJobById(tx, id);
    if (!job || job.status === 'success' || !isRetryable(job)) continue;
    const clone = await cloneJob(tx, deps, job, { userId });
    // one that a person had begun is begun again, one that nobody had waits for him as before
    if (isActionable(clone) && job.queued_at !== null) await enqueueJob(tx, deps, clone);
    await resetSkipped(tx, deps, clone);
    count++;
  }
  await processPipeline(tx, deps, pipelineId);
  return count;
}
