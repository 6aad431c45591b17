import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { JobStatus } from '../states.ts';
import type { JobRow, PipelineRow, PipelineSourcesTable } from '../tables.ts';

/** Ids of the child pipelines that a pipeline's bridges have begun; not those of other projects. */
export async function childrenOf(db: Queryable, pipelineId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pipeline_sources')
    .innerJoin('pipelines', 'pipelines.id', 'pipeline_sources.pipeline_id')
    .select('pipelines.id')
    .where('source_pipeline_id', '=', pipelineId)
    .where('pipelines.source', '=', 'parent_pipeline')
    .orderBy('pipelines.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** What began a pipeline, where a job did. */
export function sourceOf(db: Queryable, pipelineId: number): Promise<PipelineSourcesTable | undefined> {
  return db
    .selectFrom('pipeline_sources')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .executeTakeFirst();
}

/** The pipeline that a bridge has begun. */
export function downstreamOf(db: Queryable, jobId: number): Promise<PipelineRow | undefined> {
  return db
    .selectFrom('pipeline_sources')
    .innerJoin('pipelines', 'pipelines.id', 'pipeline_sources.pipeline_id')
    .selectAll('pipelines')
    .where('source_job_id', '=', jobId)
    .orderBy('pipelines.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The same of many, by the bridge's id. */
export async function downstreamOfMany(
  db: Queryable,
  jobIds: readonly number[],
): Promise<Map<number, PipelineRow>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('pipeline_sources')
    .innerJoin('pipelines', 'pipelines.id', 'pipeline_sources.pipeline_id')
    .selectAll('pipelines')
    .select('pipeline_sources.source_job_id')
    .where('source_job_id', 'in', jobIds)
    .orderBy('pipelines.id')
    .execute();
  return new Map(rows.map(({ source_job_id: jobId, ...pipeline }) => [jobId, pipeline]));
}

/** A pipeline and all that it has led to, counted up to a limit. */
export async function familySize(db: Queryable, rootId: number, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with recursive family(id) as (
      select id from pipelines where id = ${rootId}
      union all
      select pipeline_id from pipeline_sources join family on source_pipeline_id = family.id
    ) select count(*) as count from (select id from family limit ${limit}) as counted`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

export interface BridgeFilter {
  pipelineId: number;
  statuses: readonly JobStatus[];
}

const bridges = (db: Queryable, { pipelineId, statuses }: BridgeFilter) => {
  const query = db
    .selectFrom('jobs')
    .where('pipeline_id', '=', pipelineId)
    .where('kind', '=', sql.lit('bridge'))
    .where('retried', '=', 0);
  return statuses.length > 0 ? query.where('status', 'in', statuses) : query;
};

/** Newest first. */
export function listBridges(
  db: Queryable,
  filter: BridgeFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<JobRow[]> {
  return bridges(db, filter).selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
}

export async function countBridges(db: Queryable, filter: BridgeFilter): Promise<number> {
  const { count } = await bridges(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The pipelines that led to this one, the nearest first, up to a number. */
export async function ancestorsOf(db: Queryable, pipelineId: number, limit: number): Promise<PipelineRow[]> {
  const found: PipelineRow[] = [];
  for (let id = pipelineId; found.length < limit; ) {
    const parent = await db
      .selectFrom('pipeline_sources')
      .innerJoin('pipelines', 'pipelines.id', 'pipeline_sources.source_pipeline_id')
      .selectAll('pipelines')
      .where('pipeline_id', '=', id)
      .executeTakeFirst();
    if (!parent) break;
    found.push(parent);
    id = parent.id;
  }
  return found;
}
