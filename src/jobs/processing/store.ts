import type { Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobRow, JobsTable } from '../tables.ts';

export function findJobById(db: Queryable, jobId: number): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
}

/** Writes `changes` where the job still has the status that was read; undefined where it has not. */
export function moveJobRow(
  tx: Tx,
  job: Pick<JobRow, 'id' | 'status'>,
  changes: Updateable<JobsTable>,
): Promise<JobRow | undefined> {
  return tx
    .updateTable('jobs')
    .set(changes)
    .where('id', '=', job.id)
    .where('status', '=', job.status)
    .returningAll()
    .executeTakeFirst();
}
