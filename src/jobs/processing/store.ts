import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { composed } from '../../platform/db/prepared.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobStatus } from '../states.ts';
import type { JobDefinitionsTable, JobRow, JobsTable } from '../tables.ts';
import type { ProcessedJob } from './readiness.ts';

const jobById = composed((db, at: { id: number }) =>
  db.selectFrom('jobs').selectAll().where('id', '=', at.id),
);

export async function findJobById(db: Queryable, id: number): Promise<JobRow | undefined> {
  return (await jobById(db, { id }))[0];
}

/** At most as many as a statement takes values: no pipeline has more than 10,000. */
export async function findJobsByIds(db: Queryable, ids: readonly number[]): Promise<Map<number, JobRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

const moveRow = composed(
  (db, { job, before, ...changes }: { job: number; before: JobStatus } & Omit<Updateable<JobsTable>, 'id'>) =>
    // cast: SQLite would look into the value for what it says of partial indexes, and plan the statement anew each time
    db
      .updateTable('jobs')
      .set(changes)
      .where('id', '=', job)
      .where('status', '=', sql<JobStatus>`cast(${before} as text)`)
      .returningAll(),
);

/** Writes `changes` where the job still has the status that was read; undefined where it has not. */
export async function moveJobRow(
  tx: Tx,
  job: Pick<JobRow, 'id' | 'status'>,
  changes: Omit<Updateable<JobsTable>, 'id'>,
): Promise<JobRow | undefined> {
  return (await moveRow(tx, { ...changes, job: job.id, before: job.status }))[0];
}

const processed = composed((db, at: { pipelineId: number }) =>
  db
    .selectFrom('jobs')
    .select(['id', 'name', 'status', 'allow_failure', 'stage_idx', 'scheduling', 'when'])
    .where('pipeline_id', '=', at.pipelineId)
    .where('retried', '=', 0)
    .orderBy('id'),
);

/** The jobs of a pipeline that no newer one stands for. */
export const processedJobs = (tx: Tx, pipelineId: number): Promise<ProcessedJob[]> =>
  processed(tx, { pipelineId });

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

/** In the order of their stages, those of one stage as they were made. */
export async function currentJobIds(tx: Tx, pipelineId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('jobs')
    .select('id')
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .orderBy('stage_idx')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export function insertJob(tx: Tx, row: Insertable<JobsTable>): Promise<JobRow> {
  return tx.insertInto('jobs').values(row).returningAll().executeTakeFirstOrThrow();
}

/** How many jobs of this name a newer one has come for. */
export async function countRetries(
  tx: Tx,
  { pipeline_id: pipelineId, name }: Pick<JobRow, 'pipeline_id' | 'name'>,
): Promise<number> {
  const { count } = await tx
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where('retried', '=', 1)
    .executeTakeFirstOrThrow();
  return count;
}

const definitionOf = composed((db, at: { jobId: number }) =>
  db.selectFrom('job_definitions').selectAll().where('job_id', '=', at.jobId),
);

export async function findDefinition(
  db: Queryable,
  jobId: number,
): Promise<Selectable<JobDefinitionsTable> | undefined> {
  return (await definitionOf(db, { jobId }))[0];
}

export async function insertDefinition(tx: Tx, row: Insertable<JobDefinitionsTable>): Promise<void> {
  await tx.insertInto('job_definitions').values(row).execute();
}

export async function updateDefinition(
  tx: Tx,
  jobId: number,
  changes: Updateable<JobDefinitionsTable>,
): Promise<void> {
  await tx.updateTable('job_definitions').set(changes).where('job_id', '=', jobId).execute();
}

export async function copyNeeds(tx: Tx, from: number, to: number): Promise<void> {
  await tx
    .insertInto('job_needs')
    .columns(['job_id', 'idx', 'name', 'artifacts'])
    .expression((eb) =>
      eb
        .selectFrom('job_needs')
        .select([sql<number>`cast(${to} as bigint)`.as('job_id'), 'idx', 'name', 'artifacts'])
        .where('job_id', '=', from),
    )
    .execute();
}
