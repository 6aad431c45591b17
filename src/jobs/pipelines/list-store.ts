import { type SelectQueryBuilder, sql } from 'kysely';
import type { Queryable, Tables } from '../../platform/db/tables.ts';
import type { JobStatus } from '../states.ts';
import type { PipelineRow } from '../tables.ts';

export type PipelineOrder = 'id' | 'status' | 'ref' | 'updated_at' | 'user_id';

/** All of them narrow; what is absent or null does not. Times in ms, both ends included. */
export interface PipelineFilter {
  projectId: number;
  statuses?: readonly JobStatus[] | undefined;
  source?: string | null | undefined;
  ref?: string | null | undefined;
  sha?: string | null | undefined;
  name?: string | null | undefined;
  username?: string | null | undefined;
  yamlErrors?: boolean | null | undefined;
  updatedAfter?: number | null | undefined;
  updatedBefore?: number | null | undefined;
  createdAfter?: number | null | undefined;
  createdBefore?: number | null | undefined;
  ids?: readonly number[] | undefined;
}

export interface PipelineListing {
  order: PipelineOrder;
  direction: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** More rows than this are not counted: pages above it carry no totals. */
const COUNT_LIMIT = 10_001;

export function listPipelines(
  db: Queryable,
  filter: PipelineFilter,
  { order, direction, limit, offset }: PipelineListing,
): Promise<PipelineRow[]> {
  let query = filtered(db, filter).selectAll('pipelines');
  if (order !== 'id') query = query.orderBy(`pipelines.${order}`, direction);
  return query.orderBy('pipelines.id', direction).limit(limit).offset(offset).execute();
}

export async function countPipelines(db: Queryable, filter: PipelineFilter): Promise<number> {
  const some = filtered(db, filter).select('pipelines.id').limit(COUNT_LIMIT).as('some');
  const { count } = await db
    .selectFrom(some)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The newest pipeline of each ref that ever had one. */
export function newestByRef(
  db: Queryable,
  projectId: number,
  tag: boolean,
): Promise<{ ref: string; id: number }[]> {
  return db
    .selectFrom('pipelines')
    .select((eb) => ['ref', eb.fn.max<number>('id').as('id')])
    .where('project_id', '=', projectId)
    .where('tag', '=', tag ? 1 : 0)
    .groupBy('ref')
    .execute();
}

type PipelineQuery = SelectQueryBuilder<Tables, 'pipelines', object>;

function filtered(db: Queryable, filter: PipelineFilter): PipelineQuery {
  let query = db
    .selectFrom('pipelines')
    .where('pipelines.project_id', '=', filter.projectId) as unknown as PipelineQuery;
  // Pipelines that another one began are listed only when they are asked for.
  query = filter.source
    ? query.where('pipelines.source', '=', filter.source)
    : query.where('pipelines.source', '!=', 'parent_pipeline');
  if (filter.statuses) query = query.where('pipelines.status', 'in', orNothing(filter.statuses));
  if (filter.ids) query = query.where('pipelines.id', 'in', orNothing(filter.ids));
  for (const column of ['ref', 'sha', 'name'] as const) {
    const value = filter[column];
    if (value !== null && value !== undefined) query = query.where(`pipelines.${column}`, '=', value);
  }
  if (filter.yamlErrors === true) query = query.where('pipelines.yaml_errors', 'is not', null);
  if (filter.yamlErrors === false) query = query.where('pipelines.yaml_errors', 'is', null);
  return within(byUser(query, db, filter.username), filter);
}

/** An empty list is no SQL: a null fits no row. */
const orNothing = <T>(values: readonly T[]) => (values.length > 0 ? values : sql<T>`(null)`);

function byUser(query: PipelineQuery, db: Queryable, username: string | null | undefined): PipelineQuery {
  if (username === null || username === undefined) return query;
  const user = db.selectFrom('users').select('id').where(sql`lower(username)`, '=', username.toLowerCase());
  return query.where('pipelines.user_id', '=', user);
}

function within(query: PipelineQuery, filter: PipelineFilter): PipelineQuery {
  const { updatedAfter, updatedBefore, createdAfter, createdBefore } = filter;
  let result = query;
  if (updatedAfter != null) result = result.where('pipelines.updated_at', '>=', updatedAfter);
  if (updatedBefore != null) result = result.where('pipelines.updated_at', '<=', updatedBefore);
  if (createdAfter != null) result = result.where('pipelines.created_at', '>=', createdAfter);
  if (createdBefore != null) result = result.where('pipelines.created_at', '<=', createdBefore);
  return result;
}
