import type { Tx } from '../../platform/db/tables.ts';
import { lockPipeline } from '../pipeline-store.ts';
import { refreshLocked } from '../pipelines.ts';
import type { JobRow } from '../tables.ts';
import { enqueueJob } from './enqueue.ts';
import { Board, type ProcessedJob } from './readiness.ts';
import { findJobById, neededNames, processedJobs } from './store.ts';
import { type JobDeps, moveJob } from './transitions.ts';

/**
 * Lets every `created` job of the pipeline proceed that now may (to `pending`, `manual`, `scheduled`, `waiting_for_resource` or
 * `skipped`), then brings the pipeline itself up to date. In the caller's transaction: what a job's end leads to commits with it.
 * Locks the pipeline's row first.
 */
export async function processPipeline(tx: Tx, deps: JobDeps, pipelineId: number): Promise<void> {
  const pipeline = await lockPipeline(tx, pipelineId);
  if (!pipeline) return;
  const jobs = await processedJobs(tx, pipelineId);
  if (jobs.some(({ status }) => status === 'created')) {
    const board = new Board(jobs, await neededNames(tx, pipelineId));
    for (const job of board.undecided()) await decide(tx, deps, board, job);
  }
  await refreshLocked(tx, deps, pipeline);
}

async function decide(tx: Tx, deps: JobDeps, board: Board, processed: ProcessedJob): Promise<void> {
  const verdict = board.verdict(processed);
  if (verdict === 'wait') return;
  const job = await findJobById(tx, processed.id);
  if (!job) return;
  const moved = verdict === 'skip' ? await moveJob(tx, deps, job, 'skipped') : await proceed(tx, deps, job);
  board.move(processed, moved.status);
}

/** Manual jobs wait for a person, delayed ones for their time, all others for a runner. */
function proceed(tx: Tx, deps: JobDeps, job: JobRow): Promise<JobRow> {
  if (job.when === 'manual') return moveJob(tx, deps, job, 'manual');
  if (job.when !== 'delayed') return enqueueJob(tx, deps, job);
  const at = deps.clock.now() + (job.start_in ?? 0) * 1000;
  return moveJob(tx, deps, job, 'scheduled', { scheduled_at: at });
}
