import type { Insertable } from 'kysely';
import { type PreparedQuery, prepared } from '../../platform/db/prepared.ts';
import type { Db, Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobRow } from '../tables.ts';
import type { JobRunsTable } from './tables.ts';

/** A job that some runner took, with the hash of the token that it was given. */
export type JobWithToken = JobRow & { token_hash: string };

/** By number; nothing for a job that no runner ever took. Made once: every piece of a log asks. */
export const jobWithTokenFinder = (db: Db): PreparedQuery<{ id: number }, JobWithToken> =>
  prepared(db, (from, at: { id: number }) =>
    from
      .selectFrom('job_runs as run')
      .innerJoin('jobs', 'jobs.id', 'run.job_id')
      .selectAll('jobs')
      .select('run.token_hash')
      .where('run.job_id', '=', at.id),
  );

export async function insertJobRun(tx: Tx, values: Insertable<JobRunsTable>): Promise<void> {
  await tx.insertInto('job_runs').values(values).execute();
}

/** Says that a job's runner was heard of, unless that is known since `before` already. */
export async function noteJobAlive(
  db: Queryable,
  jobId: number,
  { now, before }: { now: number; before: number },
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ updated_at: now })
    .where('id', '=', jobId)
    .where('status', 'in', ['running', 'canceling'])
    .where('updated_at', '<', before)
    .execute();
}
