import type { Insertable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobNeedsTable, PipelineRow, PipelineSourcesTable } from '../tables.ts';
import type { NewJob } from './job-rows.ts';

/** A statement takes only so many values: 32,766 in SQLite, and a job has some 25. */
const AT_ONCE = 500;

/** Jobs with what their runners are told and what they need. Their names differ. */
export async function insertJobs(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
  for (let at = 0; at < jobs.length; at += AT_ONCE) {
    const some = jobs.slice(at, at + AT_ONCE);
    const rows = await tx
      .insertInto('jobs')
      .values(some.map(({ row }) => row))
      .returning(['id', 'name'])
      .execute();
    const ids = new Map(rows.map(({ id, name }) => [name, id]));
    const idOf = ({ row }: NewJob) => ids.get(row.name)!;
    await tx
      .insertInto('job_definitions')
      .values(
        some.map((job) => ({ job_id: idOf(job), definition: job.definition, variables: job.variables })),
      )
      .execute();
    await insertNeeds(
      tx,
      some.flatMap((job) => needsOf(job, idOf(job))),
    );
  }
}

const needsOf = ({ needs }: NewJob, job: number): Insertable<JobNeedsTable>[] =>
  needs.map(({ name, artifacts }, idx) => ({ job_id: job, idx, name, artifacts: artifacts ? 1 : 0 }));

const NEEDS_AT_ONCE = 5000;

async function insertNeeds(tx: Tx, rows: Insertable<JobNeedsTable>[]): Promise<void> {
  for (let at = 0; at < rows.length; at += NEEDS_AT_ONCE) {
    await tx
      .insertInto('job_needs')
      .values(rows.slice(at, at + NEEDS_AT_ONCE))
      .execute();
  }
}

export function findPipelineOfEvent(db: Queryable, eventId: number): Promise<PipelineRow | undefined> {
  return db.selectFrom('pipelines').selectAll().where('event_id', '=', eventId).executeTakeFirst();
}

/** The bridge that a pipeline was begun by. */
export async function insertPipelineSource(tx: Tx, row: Insertable<PipelineSourcesTable>): Promise<void> {
  await tx.insertInto('pipeline_sources').values(row).execute();
}
