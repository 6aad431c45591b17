import type { Tx } from '../../platform/db/tables.ts';
import type { JobRow } from '../tables.ts';
import { grantAtOnce } from './resource-groups.ts';
import { type JobChanges, type JobDeps, moveJob } from './transitions.ts';

/** Offers a job to the runners; one of a resource group waits for its turn first. The pipeline is locked by the caller. */
export async function enqueueJob(
  tx: Tx,
  deps: JobDeps,
  job: JobRow,
  changes: JobChanges = {},
): Promise<JobRow> {
  if (job.resource_group === null) return moveJob(tx, deps, job, 'pending', changes);
  const waiting = await moveJob(tx, deps, job, 'waiting_for_resource', changes);
  return waiting.status === 'waiting_for_resource' ? grantAtOnce(tx, deps, waiting) : waiting;
}
