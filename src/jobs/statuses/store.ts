import { type Insertable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { composed } from '../../platform/db/prepared.ts';
import type { Queryable, Tables, Tx } from '../../platform/db/tables.ts';
import type { JobStatus } from '../states.ts';
import type { JobRow, JobsTable } from '../tables.ts';

/** The caller's own status of this name that has not come to an end and that no newer one stands for. */
export function findOpenStatus(
  tx: Tx,
  key: { pipelineId: number; name: string; ref: string; userId: number },
): Promise<JobRow | undefined> {
  return tx
    .selectFrom('jobs')
    .selectAll()
    .where('pipeline_id', '=', key.pipelineId)
    .where('name', '=', key.name)
    .where('kind', '=', sql.lit('external'))
    .where('ref', '=', key.ref)
    .where('user_id', '=', key.userId)
    .where('retried', '=', 0)
    .where('status', 'in', ['pending', 'running'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function hasJobNamed(tx: Tx, pipelineId: number, name: string): Promise<boolean> {
  const found = await tx
    .selectFrom('jobs')
    .select('id')
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where('kind', '!=', 'external')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export function insertStatus(tx: Tx, row: Insertable<JobsTable>): Promise<JobRow> {
  return tx.insertInto('jobs').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateStatus(tx: Tx, id: number, changes: Updateable<JobsTable>): Promise<JobRow> {
  return tx.updateTable('jobs').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** From now on `id` stands for every other row of its name. */
export async function markOthersRetried(
  tx: Tx,
  row: Pick<JobRow, 'id' | 'pipeline_id' | 'name'>,
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ retried: 1 })
    .where('pipeline_id', '=', row.pipeline_id)
    .where('name', '=', row.name)
    .where('id', '!=', row.id)
    .where('retried', '=', 0)
    .execute();
}

export interface PipelineJob {
  status: JobStatus;
  allow_failure: number;
  coverage: number | null;
  started_at: number | null;
  finished_at: number | null;
}

/** What the pipeline's own state follows from: its rows that no newer one stands for. */
export function currentJobs(db: Queryable, pipelineId: number): Promise<PipelineJob[]> {
  return db
    .selectFrom('jobs')
    .select(['status', 'allow_failure', 'coverage', 'started_at', 'finished_at'])
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .execute();
}

/** Current jobs of a pipeline that count alike. */
export interface JobGroup {
  status: JobStatus;
  allow_failure: number;
  /** The earliest. */
  started_at: number | null;
}

/** The same as groups: what a pipeline's state follows from is a handful of rows, however many jobs it has. */
export const jobGroups = (db: Queryable, pipelineId: number): Promise<JobGroup[]> =>
  groups(db, { pipelineId });

const groups = composed((db, at: { pipelineId: number }) =>
  db
    .selectFrom('jobs')
    .select(({ fn }) => ['status', 'allow_failure', fn.min('started_at').as('started_at')])
    .where('pipeline_id', '=', at.pipelineId)
    .where('retried', '=', 0)
    .groupBy(['status', 'allow_failure']),
);

export interface StatusFilter {
  projectId: number;
  sha: string;
  ref?: string | null | undefined;
  stage?: string | null | undefined;
  name?: string | null | undefined;
  pipelineId?: number | null | undefined;
  /** Also those that a newer one of the same name stands for. */
  all?: boolean | null | undefined;
}

export interface StatusListing {
  order: 'id' | 'pipeline_id';
  direction: 'asc' | 'desc';
  limit: number;
  offset: number;
}

export type StatusRow = JobRow & { sha: string };

export function selectStatuses(
  db: Queryable,
  filter: StatusFilter,
  { order, direction, limit, offset }: StatusListing,
): Promise<StatusRow[]> {
  let query = filtered(db, filter).selectAll('jobs').select('pipelines.sha');
  if (order === 'pipeline_id') query = query.orderBy('jobs.pipeline_id', direction);
  return query.orderBy('jobs.id', direction).limit(limit).offset(offset).execute();
}

/** Whether any status of the commit is of this ref. */
export async function hasStatusOn(
  db: Queryable,
  { projectId, sha, ref }: { projectId: number; sha: string; ref: string },
): Promise<boolean> {
  const found = await filtered(db, { projectId, sha, ref, all: true })
    .select('jobs.id')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function countStatuses(db: Queryable, filter: StatusFilter): Promise<number> {
  const { count } = await filtered(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

type StatusQuery = SelectQueryBuilder<Tables, 'jobs' | 'pipelines', object>;

function filtered(db: Queryable, filter: StatusFilter): StatusQuery {
  const { projectId, sha, ref, stage, name, pipelineId, all } = filter;
  let query = db
    .selectFrom('pipelines')
    .innerJoin('jobs', 'jobs.pipeline_id', 'pipelines.id')
    .where('pipelines.project_id', '=', projectId)
    .where('pipelines.sha', '=', sha) as unknown as StatusQuery;
  if (!all) query = query.where('jobs.retried', '=', 0);
  if (ref) query = query.where('jobs.ref', '=', ref);
  if (stage) query = query.where('jobs.stage', '=', stage);
  if (name) query = query.where('jobs.name', '=', name);
  if (pipelineId != null) query = query.where('jobs.pipeline_id', '=', pipelineId);
  return query;
}
