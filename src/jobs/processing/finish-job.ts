import type { Tx } from '../../platform/db/tables.ts';
import { lockPipeline } from '../pipeline-store.ts';
import type { JobRow } from '../tables.ts';
import { processPipeline } from './process-pipeline.ts';
import { findJobById } from './store.ts';
import { type JobDeps, moveJob } from './transitions.ts';

/** How a job ended. */
export interface JobOutcome {
  status: 'success' | 'failed';
  /** `unknown_failure` where a failed job has none. */
  failureReason?: string | undefined;
  exitCode?: number | null | undefined;
  coverage?: number | null | undefined;
}

/**
 * Ends a job and lets the pipeline go on, all in `tx`: the pipeline's row is locked first, then the job is read. A job that
 * has ended by then stays as it is. Returns the row as it is afterwards, null when it is gone. Best run with
 * `{ isolation: 'read committed' }`: the lock settles every race.
 */
export async function finishJob(
  tx: Tx,
  deps: JobDeps,
  jobId: number,
  outcome: JobOutcome,
): Promise<JobRow | null> {
  const found = await findJobById(tx, jobId);
  if (!found || !(await lockPipeline(tx, found.pipeline_id))) return null;
  const job = await findJobById(tx, jobId);
  if (!job) return null;
  const { status, failureReason, exitCode, coverage } = outcome;
  const ended = await moveJob(tx, deps, job, status, {
    ...(status === 'failed' && failureReason !== undefined && { failure_reason: failureReason }),
    ...(exitCode != null && { exit_code: exitCode }),
    ...(coverage != null && { coverage }),
  });
  if (ended.status !== job.status) await processPipeline(tx, deps, job.pipeline_id);
  return ended;
}
