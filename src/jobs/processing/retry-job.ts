import type { Tx } from '../../platform/db/tables.ts';
import type { JobStatus } from '../states.ts';
import type { JobRow } from '../tables.ts';
import { type CloneOptions, cloneJob } from './clone-job.ts';
import { enqueueJob } from './enqueue.ts';
import { processPipeline } from './process-pipeline.ts';
import { resetSkipped } from './reset-skipped.ts';
import { findJobById } from './store.ts';
import type { JobDeps } from './transitions.ts';

const RETRYABLE: readonly JobStatus[] = ['success', 'failed', 'canceled', 'canceling'];

/**
 * Whether it has ended, by itself or not, and no newer one stands for it. A cancelled job counts also while its runner still ends
 * the script: whoever cancelled it was told that it is over.
 */
export const isRetryable = (job: Pick<JobRow, 'kind' | 'status' | 'retried'>): boolean =>
  job.kind !== 'external' && job.retried === 0 && RETRYABLE.includes(job.status);

/** Whether somebody had to begin it, or time: begun again, it waits for neither. */
export const isActionable = ({ when }: Pick<JobRow, 'when'>): boolean =>
  when === 'manual' || when === 'delayed';

/**
 * Makes a new job of the same name, brings back what was skipped behind the old one, and lets the pipeline go on. `job` is locked
 * (`lockJob`) and retryable. Returns the new job as it then is: mostly `pending`.
 */
export async function retryJob(tx: Tx, deps: JobDeps, job: JobRow, options: CloneOptions): Promise<JobRow> {
  const clone = await cloneJob(tx, deps, job, options);
  if (isActionable(clone)) await enqueueJob(tx, deps, clone);
  await resetSkipped(tx, deps, clone);
  await processPipeline(tx, deps, job.pipeline_id);
  return (await findJobById(tx, clone.id)) ?? clone;
}
