import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Viewer } from '../../../core/access/store.ts';
import type { Queryable, Tables } from '../../../platform/db/tables.ts';
import type { MergeRequestRow, MergeRequestState } from '../../tables.ts';
import { readableMergeRequests } from '../visible-store.ts';

/** `none`, `any`, or the id of a user. */
export type PersonFilter = number | 'none' | 'any';

/** All of them narrow; what is absent or null does not. Times in ms, both ends included. */
export interface MergeRequestFilter {
  projectId?: number | undefined;
  /** Only those that he may read; not needed where the project was asked already. */
  viewer?: Viewer | undefined;
  state?: MergeRequestState | null | undefined;
  sourceBranch?: string | null | undefined;
  targetBranch?: string | null | undefined;
  sourceProjectId?: number | null | undefined;
  authorId?: number | null | undefined;
  assignee?: PersonFilter | null | undefined;
  reviewer?: PersonFilter | null | undefined;
  labels?: readonly string[] | null | undefined;
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
  return filtered(db, filter)
    .selectAll('merge_requests')
    .orderBy(`merge_requests.${order}`, direction)
    .orderBy('merge_requests.id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
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
  let query = from(db, filter.viewer);
  const equal = {
    project_id: filter.projectId,
    state: filter.state,
    source_branch: filter.sourceBranch,
    target_branch: filter.targetBranch,
    source_project_id: filter.sourceProjectId,
    author_id: filter.authorId,
    draft: filter.draft == null ? null : Number(filter.draft),
  };
  for (const [column, value] of Object.entries(equal)) {
    if (value != null) query = query.where(`merge_requests.${column as keyof typeof equal}`, '=', value);
  }
  if (filter.iids && filter.iids.length > 0) query = query.where('merge_requests.iid', 'in', filter.iids);
  query = withPerson(query, db, 'merge_request_assignees', filter.assignee);
  query = withPerson(query, db, 'merge_request_reviewers', filter.reviewer);
  return searched(within(labelled(query, db, filter.labels ?? []), filter), filter);
}

function from(db: Queryable, viewer: Viewer | undefined): ListQuery {
  if (!viewer) return db.selectFrom('merge_requests') as unknown as ListQuery;
  return db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .where(readableMergeRequests(viewer)) as unknown as ListQuery;
}

function withPerson(
  query: ListQuery,
  db: Queryable,
  table: 'merge_request_assignees' | 'merge_request_reviewers',
  person: PersonFilter | null | undefined,
): ListQuery {
  if (person == null) return query;
  const any = db.selectFrom(table).select('merge_request_id');
  if (person === 'none') return query.where('merge_requests.id', 'not in', any);
  const found = person === 'any' ? any : any.where('user_id', '=', person);
  return query.where('merge_requests.id', 'in', found);
}

/** Every one of the labels; `None` and `Any` in any letter case stand for having none or one at all. */
function labelled(query: ListQuery, db: Queryable, labels: readonly string[]): ListQuery {
  const any = db.selectFrom('merge_request_labels').select('merge_request_id');
  const named = (name: string) =>
    any.innerJoin('labels', 'labels.id', 'label_id').where('labels.name', '=', name);
  const word = labels.length === 1 ? labels[0]!.toLowerCase() : '';
  if (word === 'none') return query.where('merge_requests.id', 'not in', any);
  if (word === 'any') return query.where('merge_requests.id', 'in', any);
  return labels.reduce((so, name) => so.where('merge_requests.id', 'in', named(name)), query);
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
  const text = search?.trim().toLowerCase();
  if (!text) return query;
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return query.where((eb) =>
    eb.or(
      searchIn.map(
        (column) => sql<SqlBool>`lower(${sql.ref(`merge_requests.${column}`)}) like ${pattern} escape '\\'`,
      ),
    ),
  );
}
