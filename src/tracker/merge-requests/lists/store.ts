import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Viewer } from '../../../core/access/store.ts';
import { containsText } from '../../../platform/db/like.ts';
import type { Queryable, Tables } from '../../../platform/db/tables.ts';
import type { MergeRequestRow, MergeRequestState } from '../../tables.ts';
import { readableMergeRequests } from '../visible-store.ts';
import { type Conditions, conditionsOf } from './conditions-store.ts';

/** All of them narrow; what is absent or null does not. Times in ms, both ends included. */
export interface MergeRequestFilter extends Conditions {
  projectId?: number | undefined;
  /** Of projects in the group and the groups below it. */
  groupIds?: readonly number[] | undefined;
  /** Only those that he may read; not needed where the project was asked already. */
  viewer?: Viewer | undefined;
  /** Without those of archived projects; only where there is a viewer. */
  nonArchived?: boolean | undefined;
  /** What is left out. */
  not?: Conditions | undefined;
  state?: MergeRequestState | null | undefined;
  sourceProjectId?: number | null | undefined;
  search?: string | null | undefined;
  /** Where `search` looks; both when absent. */
  searchIn?: readonly ('title' | 'description')[] | undefined;
  iids?: readonly number[] | null | undefined;
  draft?: boolean | null | undefined;
  createdAfter?: number | null | undefined;
  createdBefore?: number | null | undefined;
  updatedAfter?: number | null | undefined;
  updatedBefore?: number | null | undefined;
}

export type MergeRequestOrder = 'created_at' | 'updated_at' | 'merged_at' | 'title';

export interface MergeRequestListing {
  order: MergeRequestOrder;
  direction: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** More rows than this are not counted: pages above it carry no totals. */
const COUNT_LIMIT = 10_001;

export function listMergeRequests(
  db: Queryable,
  filter: MergeRequestFilter,
  { order, direction, limit, offset }: MergeRequestListing,
): Promise<MergeRequestRow[]> {
  const query = filtered(db, filter).selectAll('merge_requests');
  const ordered =
    order === 'merged_at'
      ? // The databases disagree about where nulls belong.
        query.orderBy('merge_requests.merged_at', (by) =>
          direction === 'asc' ? by.asc().nullsLast() : by.desc().nullsLast(),
        )
      : query.orderBy(`merge_requests.${order}`, direction);
  return ordered.orderBy('merge_requests.id', direction).limit(limit).offset(offset).execute();
}

export async function countMergeRequests(db: Queryable, filter: MergeRequestFilter): Promise<number> {
  const some = filtered(db, filter).select('merge_requests.id').limit(COUNT_LIMIT).as('some');
  const { count } = await db
    .selectFrom(some)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

type ListQuery = SelectQueryBuilder<Tables, 'merge_requests', object>;

function filtered(db: Queryable, filter: MergeRequestFilter): ListQuery {
  let query = from(db, filter);
  const equal = {
    project_id: filter.projectId,
    state: filter.state,
    source_project_id: filter.sourceProjectId,
    draft: filter.draft == null ? null : Number(filter.draft),
  };
  for (const [column, value] of Object.entries(equal)) {
    if (value != null) query = query.where(`merge_requests.${column as keyof typeof equal}`, '=', value);
  }
  if (filter.iids && filter.iids.length > 0) query = query.where('merge_requests.iid', 'in', filter.iids);
  for (const condition of conditionsOf(filter)) query = query.where(condition);
  for (const condition of conditionsOf(filter.not ?? {})) query = query.where(unless(condition));
  return searched(within(query, filter), filter);
}

/** A condition about what is not there is neither true nor false. */
const unless = (condition: Expression<SqlBool>) =>
  sql<SqlBool>`not coalesce(${condition}, ${sql.lit(1)} = ${sql.lit(0)})`;

function from(db: Queryable, { viewer, groupIds, nonArchived }: MergeRequestFilter): ListQuery {
  if (!viewer) return db.selectFrom('merge_requests') as unknown as ListQuery;
  let query = db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .where(readableMergeRequests(viewer));
  if (groupIds) query = query.where('projects.namespace_id', 'in', groupIds);
  if (nonArchived) query = query.where('projects.archived', '=', 0);
  return query as unknown as ListQuery;
}

function within(query: ListQuery, filter: MergeRequestFilter): ListQuery {
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = filter;
  let result = query;
  if (createdAfter != null) result = result.where('merge_requests.created_at', '>=', createdAfter);
  if (createdBefore != null) result = result.where('merge_requests.created_at', '<=', createdBefore);
  if (updatedAfter != null) result = result.where('merge_requests.updated_at', '>=', updatedAfter);
  if (updatedBefore != null) result = result.where('merge_requests.updated_at', '<=', updatedBefore);
  return result;
}

function searched(
  query: ListQuery,
  { search, searchIn = ['title', 'description'] }: MergeRequestFilter,
): ListQuery {
  const text = search?.trim();
  if (!text) return query;
  return query.where((eb) =>
    eb.or(searchIn.map((column) => containsText(sql.ref(`merge_requests.${column}`), text))),
  );
}
