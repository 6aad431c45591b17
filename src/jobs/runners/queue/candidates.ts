import type { Queryable } from '../../../platform/db/tables.ts';
import type { RunnerRow } from '../tables.ts';
import { oldestJob, oldestJobs, sharedRunning, waitingTagSets } from './queue-store.ts';
import { tagSetsFor } from './tags.ts';

export interface Candidate {
  jobId: number;
  /** Jobs of its project that instance runners have under way; null for the runners of groups and projects. */
  running: number | null;
}

/**
 * The job that a runner should take next; null when there is none for it. Runners of a group or project take them as they
 * came. Instance runners are everybody's: the project that has fewest of them at work is first.
 */
export async function nextCandidate(db: Queryable, runner: RunnerRow): Promise<Candidate | null> {
  const tagSets = tagSetsFor(runner, await waitingTagSets(db));
  if (tagSets.length === 0) return null;
  if (runner.runner_type === 'instance_type') return fairest(db, { runner, tagSets });
  const jobId = await oldestJob(db, { runner, tagSets });
  return jobId === undefined ? null : { jobId, running: null };
}

async function fairest(
  db: Queryable,
  reach: { runner: RunnerRow; tagSets: string[] },
): Promise<Candidate | null> {
  const queues = await oldestJobs(db, reach);
  if (queues.length === 0) return null;
  const running = await sharedRunning(db);
  const candidates = queues.map(({ projectId, jobId }) => ({ jobId, running: running.get(projectId) ?? 0 }));
  return candidates.reduce((best, each) =>
    each.running < best.running || (each.running === best.running && each.jobId < best.jobId) ? each : best,
  );
}
