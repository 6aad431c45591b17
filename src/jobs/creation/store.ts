import type { Insertable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { Breath } from '../config/breath.ts';
import type { JobNeedsTable, PipelineRow, PipelineSourcesTable } from '../tables.ts';
import type { NewJob } from './job-rows.ts';

/** Rows of one statement: SQLite writes them in a few milliseconds, in which nothing else runs. */
const JOBS_AT_ONCE = 100;
const NEEDS_AT_ONCE = 1000;

/** Writes jobs with what their runners are told and what they need, making each only then. Their names differ. */
export async function insertJobs<Plan>(
  tx: Tx,
  plans: readonly Plan[],
  make: (plan: Plan) => NewJob,
): Promise<void> {
  const breath = new Breath();
  for (let at = 0; at < plans.length; at += JOBS_AT_ONCE) {
    const jobs = plans.slice(at, at + JOBS_AT_ONCE).map(make);
    await insertNeeds(tx, await insertRows(tx, jobs), breath);
    await breath.take();
  }
}

/** Their needs, by the ids that they got. */
async function insertRows(tx: Tx, jobs: readonly NewJob[]): Promise<Insertable<JobNeedsTable>[]> {
  const rows = await tx
    .insertInto('jobs')
    .values(jobs.map(({ row }) => row))
    .returning(['id', 'name'])
    .execute();
  const ids = new Map(rows.map(({ id, name }) => [name, id]));
  const idOf = ({ row }: NewJob) => ids.get(row.name)!;
  await tx
    .insertInto('job_definitions')
    .values(jobs.map((job) => ({ job_id: idOf(job), definition: job.definition, variables: job.variables })))
    .execute();
  return jobs.flatMap((job) => needsOf(job, idOf(job)));
}

const needsOf = ({ needs }: NewJob, job: number): Insertable<JobNeedsTable>[] =>
  needs.map(({ name, artifacts }, idx) => ({ job_id: job, idx, name, artifacts: artifacts ? 1 : 0 }));

async function insertNeeds(tx: Tx, rows: Insertable<JobNeedsTable>[], breath: Breath): Promise<void> {
  for (let at = 0; at < rows.length; at += NEEDS_AT_ONCE) {
    await tx
      .insertInto('job_needs')
      .values(rows.slice(at, at + NEEDS_AT_ONCE))
      .execute();
    await breath.take();
  }
}

export function findPipelineOfEvent(db: Queryable, eventId: number): Promise<PipelineRow | undefined> {
  return db.selectFrom('pipelines').selectAll().where('event_id', '=', eventId).executeTakeFirst();
}

/** The bridge that a pipeline was begun by. */
export async function insertPipelineSource(tx: Tx, row: Insertable<PipelineSourcesTable>): Promise<void> {
  await tx.insertInto('pipeline_sources').values(row).execute();
}
