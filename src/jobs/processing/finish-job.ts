import type { Tx } from '../../platform/db/tables.ts';
import type { JobDefinition } from '../config/plan.ts';
import type { JobRow } from '../tables.ts';
import { deservesRetry } from './auto-retry.ts';
import { lockJobAndPipeline } from './locked-job.ts';
import { processLocked } from './process-pipeline.ts';
import { retryJob } from './retry-job.ts';
import { countRetries, findDefinition } from './store.ts';
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
 * Ends a job and lets the pipeline go on, all in `tx`: the pipeline's row is locked first, then the job is read. A failed job is
 * excused by its exit code, or begun again, where its configuration says so. One that has ended by then stays as it is, and one
 * that is being cancelled ends `canceled`. Returns the row as it is afterwards, null when it is gone. Best run with
 * `{ isolation: 'read committed' }`: the lock settles every race.
 */
export async function finishJob(
  tx: Tx,
  deps: JobDeps,
  jobId: number,
  outcome: JobOutcome,
): Promise<JobRow | null> {
  const locked = await lockJobAndPipeline(tx, jobId);
  if (!locked) return null;
  const { job, pipeline } = locked;
  const orders = outcome.status === 'failed' ? await findDefinition(tx, jobId) : undefined;
  const definition = orders && (JSON.parse(orders.definition) as JobDefinition);
  const ended = await moveJob(tx, deps, job, outcome.status, changesOf(outcome, definition));
  if (ended.status === job.status) return ended;
  if (ended.status === 'failed' && (await isToBeRetried(tx, ended, definition))) {
    await retryJob(tx, deps, ended, { userId: ended.user_id });
    return { ...ended, retried: 1 };
  }
  await processLocked(tx, deps, pipeline);
  return ended;
}

/** What the process returned, as far as an exit code goes on any system. */
const EXIT_CODE = { min: -32_768, max: 32_767 };

function changesOf(outcome: JobOutcome, definition: JobDefinition | undefined) {
  const { failureReason, coverage } = outcome;
  const exitCode =
    outcome.exitCode == null
      ? null
      : Math.min(Math.max(Math.trunc(outcome.exitCode), EXIT_CODE.min), EXIT_CODE.max);
  const excused = exitCode !== null && definition?.allowFailureExitCodes.includes(exitCode);
  return {
    ...(outcome.status === 'failed' && failureReason !== undefined && { failure_reason: failureReason }),
    ...(exitCode !== null && { exit_code: exitCode }),
    ...(excused && { allow_failure: 1 }),
    ...(coverage != null && { coverage }),
  };
}

async function isToBeRetried(tx: Tx, job: JobRow, definition: JobDefinition | undefined): Promise<boolean> {
  return deservesRetry(definition?.retry, {
    reason: job.failure_reason ?? 'unknown_failure',
    exitCode: job.exit_code,
    retries: await countRetries(tx, job),
  });
}
