import type { Queryable } from '../../../platform/db/tables.ts';
import type { RunnerRow } from '../tables.ts';
import { sharedRunning, type WaitingGroup, waitingGroups } from './queue-store.ts';
import { takesTags } from './tags.ts';

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
  const fitting = (await waitingGroups(db, runner)).filter((group) => mayTake(runner, group));
  if (fitting.length === 0) return null;
  const running = runner.runner_type === 'instance_type' ? await sharedRunning(db) : null;
  const candidates = fitting.map(({ projectId, jobId }) => ({
    jobId,
    running: running && (running.get(projectId) ?? 0),
  }));
  return candidates.reduce((best, each) => (comesBefore(each, best) ? each : best));
}

/** What the runner may take besides being of the right place. */
export const mayTake = (runner: RunnerRow, job: Pick<WaitingGroup, 'tags' | 'protected'>): boolean =>
  takesTags(runner, job.tags) && (job.protected === 1 || runner.access_level !== 'ref_protected');

function comesBefore(one: Candidate, other: Candidate): boolean {
  const busier = (one.running ?? 0) - (other.running ?? 0);
  return busier < 0 || (busier === 0 && one.jobId < other.jobId);
}
