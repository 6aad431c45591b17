import type { Tx } from '../../platform/db/tables.ts';
import { Breath } from '../config/breath.ts';
import { refreshLocked } from '../pipelines/pipelines.ts';
import { lockPipeline } from '../pipelines/store.ts';
import { jobGroups } from '../statuses/store.ts';
import type { JobRow, PipelineRow } from '../tables.ts';
import { enqueueJob } from './enqueue.ts';
import { Board } from './readiness.ts';
import { findJobsByIds, neededNames, processedJobs } from './store.ts';
import { type JobDeps, moveJob } from './transitions.ts';

/**
 * Lets every `created` job of the pipeline proceed that now may (to `pending`, `manual`, `scheduled`, `waiting_for_resource` or
 * `skipped`), then brings the pipeline itself up to date. In the caller's transaction: what a job's end leads to commits with it.
 * Locks the pipeline's row first.
 */
export async function processPipeline(tx: Tx, deps: JobDeps, pipelineId: number): Promise<void> {
  const pipeline = await lockPipeline(tx, pipelineId);
  if (pipeline) await processLocked(tx, deps, pipeline);
}

/** The same for whoever has locked it already, with its row as it is. */
export async function processLocked(tx: Tx, deps: JobDeps, pipeline: PipelineRow): Promise<void> {
  const groups = await jobGroups(tx, pipeline.id);
  const begun = groups.some(({ status }) => status === 'created') && (await decide(tx, deps, pipeline.id));
  await refreshLocked(tx, deps, pipeline, begun ? undefined : groups);
}

/** Whether any job may proceed, which it then has. */
async function decide(tx: Tx, deps: JobDeps, pipelineId: number): Promise<boolean> {
  const jobs = await processedJobs(tx, pipelineId);
  const decided = new Board(jobs, await neededNames(tx, pipelineId)).decide();
  const rows = await findJobsByIds(
    tx,
    decided.map(({ id }) => id),
  );
  const breath = new Breath();
  for (const { id, verdict } of decided) {
    const job = rows.get(id);
    if (job) await (verdict === 'skip' ? moveJob(tx, deps, job, 'skipped') : proceed(tx, deps, job));
    await breath.take();
  }
  return decided.length > 0;
}

/** Manual jobs wait for a person, delayed ones for their time, all others for a runner. */
function proceed(tx: Tx, deps: JobDeps, job: JobRow): Promise<JobRow> {
  if (job.when === 'manual') return moveJob(tx, deps, job, 'manual');
  if (job.when !== 'delayed') return enqueueJob(tx, deps, job);
  const at = deps.clock.now() + (job.start_in ?? 0) * 1000;
  return moveJob(tx, deps, job, 'scheduled', { scheduled_at: at });
}
