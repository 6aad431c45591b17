import { type Insertable, sql } from 'kysely';
import { composed, type PreparedQuery, prepared } from '../../platform/db/prepared.ts';
import type { Db, Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobRow } from '../tables.ts';
import type { JobRunRow, JobRunsTable } from './tables.ts';

/** As much of a job as its runner's calls need: 83 us of this process on PostgreSQL, where all columns take 118. */
const COLUMNS = [
  'id',
  'project_id',
  'pipeline_id',
  'status',
  'updated_at',
  'erased_at',
  'environment',
  'protected',
] as const satisfies readonly (keyof JobRow)[];

/** A job that some runner took. */
export type RunnersJob = Pick<JobRow, (typeof COLUMNS)[number]>;

/** With the hash of the token that it was given. */
export type JobWithToken = RunnersJob & Pick<JobRunRow, 'token_hash' | 'unconfirmed_since' | 'refused_bytes'>;

/** By number; nothing for a job that no runner ever took. Made once: every piece of a log asks. */
export const jobWithTokenFinder = (db: Db): PreparedQuery<{ id: number }, JobWithToken> =>
  prepared(db, (from, at: { id: number }) =>
    from
      .selectFrom('job_runs as run')
      .innerJoin('jobs', 'jobs.id', 'run.job_id')
      .select(COLUMNS.map((column) => `jobs.${column}` as const))
      .select(['run.token_hash', 'run.unconfirmed_since', 'run.refused_bytes'])
      .where('run.job_id', '=', at.id),
  );

const insertRun = composed((db, values: Insertable<JobRunsTable>) =>
  db.insertInto('job_runs').values(values),
);

export async function insertJobRun(tx: Tx, values: Insertable<JobRunsTable>): Promise<void> {
  await insertRun(tx, values);
}

/** The runner has confirmed the job; false where it had, or where the job was taken from it. */
export async function confirmRun(tx: Tx, jobId: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('job_runs')
    .set({ unconfirmed_since: null })
    .where('job_id', '=', jobId)
    .where('unconfirmed_since', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** An artifact of the job was larger than `maxBytes`, and was refused. */
export async function noteRefusal(db: Queryable, jobId: number, maxBytes: number): Promise<void> {
  await db.updateTable('job_runs').set({ refused_bytes: maxBytes }).where('job_id', '=', jobId).execute();
}

/** The runner asks for more time. */
export async function keepUnconfirmed(db: Queryable, jobId: number, now: number): Promise<void> {
  await db
    .updateTable('job_runs')
    .set({ unconfirmed_since: now })
    .where('job_id', '=', jobId)
    .where('unconfirmed_since', 'is not', null)
    .execute();
}

/** Takes jobs from the runners that had them since before `before` and said nothing; returns which. */
export async function takeBackUnconfirmed(tx: Tx, before: number): Promise<number[]> {
  const rows = await tx
    .deleteFrom('job_runs')
    .where('unconfirmed_since', 'is not', null)
    .where('unconfirmed_since', '<', before)
    .returning('job_id')
    .execute();
  const ids = rows.map((row) => row.job_id);
  if (ids.length > 0) {
    await tx
      .updateTable('jobs')
      .set({ runner_id: null, runner_manager_id: null })
      .where('id', 'in', ids)
      .where('status', '=', sql.lit('pending'))
      .execute();
  }
  return ids;
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
