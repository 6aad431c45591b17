import type { Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobRow, JobsTable } from '../tables.ts';
import type { ProcessedJob } from './readiness.ts';

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

/** The jobs of a pipeline that no newer one stands for. */
export function processedJobs(tx: Tx, pipelineId: number): Promise<ProcessedJob[]> {
  return tx
    .selectFrom('jobs')
    .select(['id', 'name', 'status', 'allow_failure', 'stage_idx', 'scheduling', 'when'])
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .orderBy('id')
    .execute();
}

/** Whom each current job of a pipeline needs, by its id. */
export async function neededNames(tx: Tx, pipelineId: number): Promise<Map<number, string[]>> {
  const rows = await tx
    .selectFrom('jobs')
    .innerJoin('job_needs', 'job_needs.job_id', 'jobs.id')
    .select(['jobs.id', 'job_needs.name'])
    .where('jobs.pipeline_id', '=', pipelineId)
    .where('jobs.retried', '=', 0)
    .orderBy('job_needs.idx')
    .execute();
  const names = new Map<number, string[]>();
  for (const { id, name } of rows) {
    const list = names.get(id);
    if (list) list.push(name);
    else names.set(id, [name]);
  }
  return names;
}
