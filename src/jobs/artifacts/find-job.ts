import type { Queryable } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { JobRow } from '../tables.ts';
import { findBuild } from './jobs-store.ts';

/** A job of the project that runs a script; throws GitLab's 404. */
export async function demandBuild(db: Queryable, projectId: number, jobId: number): Promise<JobRow> {
  const job = await findBuild(db, projectId, jobId);
  if (!job) throw fail.recordNotFound();
  return job;
}
