import type { Tx } from '../../platform/db/tables.ts';
import { isComplete } from '../states.ts';
import type { JobRow } from '../tables.ts';
import { processPipeline } from './process-pipeline.ts';
import { currentJobIds, findJobById } from './store.ts';
import { type JobDeps, moveJob } from './transitions.ts';

/** Whether there is anything left to cancel. */
export const isCancelable = ({ status }: Pick<JobRow, 'status'>): boolean =>
  !isComplete(status) && status !== 'canceling';

/**
 * Cancels one job and lets the pipeline go on. A running one is `canceling` until its runner has let go, where that runner
 * said that it can; `canceled` at once otherwise. `job` is locked; one that has ended stays as it is.
 */
export async function cancelJob(tx: Tx, deps: JobDeps, job: JobRow): Promise<JobRow> {
  if (!isCancelable(job)) return job;
  const canceled = await stop(tx, deps, job);
  await processPipeline(tx, deps, job.pipeline_id);
  return canceled;
}

/** Ends a job that is being cancelled without waiting for its runner any longer. `job` is locked. */
export async function cancelByForce(tx: Tx, deps: JobDeps, job: JobRow): Promise<JobRow> {
  const canceled = await moveJob(tx, deps, job, 'canceled');
  await processPipeline(tx, deps, job.pipeline_id);
  return canceled;
}

/**
 * Cancels all jobs of a pipeline that `chosen` takes, everything by default, and brings the pipeline up to date. The caller
 * has locked the pipeline. Returns how many were cancelled.
 */
export async function cancelJobs(
  tx: Tx,
  deps: JobDeps,
  pipelineId: number,
  chosen: (job: JobRow) => boolean = () => true,
): Promise<number> {
  let count = 0;
  for (const id of await currentJobIds(tx, pipelineId)) {
    const job = await findJobById(tx, id);
    if (!job || !isCancelable(job) || !chosen(job)) continue;
    await stop(tx, deps, job);
    count++;
  }
  await processPipeline(tx, deps, pipelineId);
  return count;
}

function stop(tx: Tx, deps: JobDeps, job: JobRow): Promise<JobRow> {
  const softly = job.status === 'running' && job.cancel_gracefully === 1;
  return moveJob(tx, deps, job, softly ? 'canceling' : 'canceled');
}
