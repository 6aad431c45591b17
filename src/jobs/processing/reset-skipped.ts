import type { Tx } from '../../platform/db/tables.ts';
import type { JobRow } from '../tables.ts';
import type { ProcessedJob } from './readiness.ts';
import { findJobById, neededNames, processedJobs } from './store.ts';
import { type JobDeps, moveJob } from './transitions.ts';

/** Jobs that were skipped because of how `job` had ended wait for it again, now that it begins anew. */
export async function resetSkipped(
  tx: Tx,
  deps: JobDeps,
  job: Pick<JobRow, 'pipeline_id' | 'name' | 'stage_idx'>,
): Promise<void> {
  const jobs = await processedJobs(tx, job.pipeline_id);
  const needs = await neededNames(tx, job.pipeline_id);
  for (const { id } of skippedBehind(job, jobs, needs)) {
    const skipped = await findJobById(tx, id);
    if (skipped) await moveJob(tx, deps, skipped, 'created');
  }
}

/** Those of later stages, and those that need it or one that needs it, however far. */
export function skippedBehind(
  { name, stage_idx: stage }: Pick<JobRow, 'name' | 'stage_idx'>,
  jobs: readonly ProcessedJob[],
  needs: ReadonlyMap<number, readonly string[]>,
): ProcessedJob[] {
  const skipped = jobs.filter(({ status }) => status === 'skipped');
  const behind = new Set(skipped.filter((job) => job.scheduling === 'stage' && job.stage_idx > stage));
  const names = new Set([name, ...[...behind].map((job) => job.name)]);
  for (let before = -1; before !== names.size; ) {
    before = names.size;
    for (const job of skipped) {
      if (behind.has(job) || !needs.get(job.id)?.some((needed) => names.has(needed))) continue;
      behind.add(job);
      names.add(job.name);
    }
  }
  return [...behind];
}
