import type { Tx } from '../../platform/db/tables.ts';
import type { ConfigVariable } from '../config/plan.ts';
import type { JobRow } from '../tables.ts';
import { withVariables } from './clone-job.ts';
import { enqueueJob } from './enqueue.ts';
import { processPipeline } from './process-pipeline.ts';
import { resetSkipped } from './reset-skipped.ts';
import { isActionable, isRetryable, retryJob } from './retry-job.ts';
import { findDefinition, findJobById, updateDefinition } from './store.ts';
import type { JobDeps } from './transitions.ts';

/** Whether a person may begin it: a manual or delayed job that waits, or one that has ended. */
export const isPlayable = (job: Pick<JobRow, 'kind' | 'status' | 'retried' | 'when'>): boolean =>
  job.kind !== 'external' &&
  isActionable(job) &&
  (job.status === 'manual' || job.status === 'scheduled' || isRetryable(job));

/**
 * Begins a manual or delayed job now, for the user, with his variables; one that has ended is begun again as a new job. `job`
 * is locked and playable. Returns the job that was begun.
 */
export async function playJob(
  tx: Tx,
  deps: JobDeps,
  job: JobRow,
  { userId, variables = [] }: { userId: number; variables?: readonly ConfigVariable[] | undefined },
): Promise<JobRow> {
  if (isRetryable(job)) return retryJob(tx, deps, job, { userId, variables });
  const orders = variables.length > 0 ? await findDefinition(tx, job.id) : undefined;
  if (orders) await updateDefinition(tx, job.id, { variables: withVariables(orders.variables, variables) });
  await enqueueJob(tx, deps, job, { user_id: userId, scheduled_at: null });
  await resetSkipped(tx, deps, job);
  await processPipeline(tx, deps, job.pipeline_id);
  return (await findJobById(tx, job.id)) ?? job;
}
