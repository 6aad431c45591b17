import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { containsText, escapeLike } from '../../platform/db/like.ts';
import type { Queryable, Tables } from '../../platform/db/tables.ts';
import { memberOfProject, type Viewer, visibleProject } from '../access/store.ts';
import type { Visibility } from '../tables.ts';
import type { ProjectWithNamespace } from './find.ts';
import type { ProjectSettings } from './settings.ts';
import { projectRows } from './store.ts';

/** What a list of projects is narrowed to; absent means not at all. Only what the viewer may see is ever in it. */
export interface ProjectFilter {
  viewer: Viewer;
  /** Every word must be in the name, path or description, in any case. */
  search?: string | undefined;
  /** Words may also be in the path of the namespace. */
  searchNamespaces?: boolean | undefined;
  membership?: boolean | undefined;
  minAccessLevel?: number | undefined;
  starredBy?: number | undefined;
  visibility?: Visibility | undefined;
  archived?: boolean | undefined;
  withFeatures?: (keyof ProjectSettings & `${string}_access_level`)[] | undefined;
  /** All of them. */
  topics?: string[] | undefined;
  idAfter?: number | undefined;
  idBefore?: number | undefined;
  activityAfter?: number | undefined;
  activityBefore?: number | undefined;
  /** Only projects of these namespaces. */
  namespaceIds?: number[] | undefined;
  /** Only projects that are shared with this group. */
  sharedWith?: number | undefined;
  /** Projects of the namespaces or shared with the group. */
  orSharedWith?: number | undefined;
  forkedFrom?: number | undefined;
}

export const PROJECT_ORDERS = [
  'id',
  'name',
  'path',
  'created_at',
  'updated_at',
  'last_activity_at',
  'star_count',
  'similarity',
] as const;

export interface ProjectOrder {
  by: (typeof PROJECT_ORDERS)[number];
  direction: 'asc' | 'desc';
}

export interface Slice {
  limit: number;
  offset?: number;
  /** Rows behind this one only: the value by which they are ordered, and the id. */
  after?: { value: string | number; id: number } | undefined;
}

export function listProjects(
  db: Queryable,
  filter: ProjectFilter,
  order: ProjectOrder,
  { limit, offset = 0, after }: Slice,
): Promise<ProjectWithNamespace[]> {
  let query = projectRows(db).where((eb) => eb.and(conditions(eb, filter)));
  if (after) query = query.where(behind(order, after));
  return ordered(query, order, filter.search)
    .orderBy('projects.id', order.direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Rows up to a bound; counting on would cost more than the page, and GitLab tells no more either. */
export async function countProjects(db: Queryable, filter: ProjectFilter, bound: number): Promise<number> {
  const found = db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('projects.id')
    .where((eb) => eb.and(conditions(eb, filter)))
    .limit(bound);
  const row = await db
    .selectFrom(found.as('found'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

type Scope = ExpressionBuilder<Tables, 'projects' | 'namespaces'>;

function conditions(eb: Scope, filter: ProjectFilter): Expression<SqlBool>[] {
  const { viewer, minAccessLevel, visibility, archived, starredBy } = filter;
  return [
    visibleProject(viewer),
    ...(filter.membership || minAccessLevel !== undefined ? [memberOfProject(viewer, minAccessLevel)] : []),
    ...(visibility ? [eb('projects.visibility', '=', visibility)] : []),
    ...(archived !== undefined ? [eb('projects.archived', '=', archived ? 1 : 0)] : []),
    ...(starredBy !== undefined ? [starred(starredBy)] : []),
    ...bounds(eb, filter),
    ...places(eb, filter),
    ...words(eb, filter),
    ...(filter.withFeatures ?? []).map((feature) => featureOpen(feature, viewer)),
    ...(filter.topics ?? []).map(hasTopic),
  ];
}

function bounds(eb: Scope, filter: ProjectFilter): Expression<SqlBool>[] {
  const { idAfter, idBefore, activityAfter, activityBefore } = filter;
  return [
    ...(idAfter !== undefined ? [eb('projects.id', '>', idAfter)] : []),
    ...(idBefore !== undefined ? [eb('projects.id', '<', idBefore)] : []),
    ...(activityAfter !== undefined ? [eb('projects.last_activity_at', '>', activityAfter)] : []),
    ...(activityBefore !== undefined ? [eb('projects.last_activity_at', '<', activityBefore)] : []),
  ];
}

function places(eb: Scope, filter: ProjectFilter): Expression<SqlBool>[] {
  const { namespaceIds, sharedWith, orSharedWith, forkedFrom } = filter;
  const within = namespaceIds && eb('projects.namespace_id', 'in', namespaceIds);
  return [
    ...(within ? [orSharedWith === undefined ? within : eb.or([within, sharedWithGroup(orSharedWith)])] : []),
    ...(sharedWith !== undefined ? [sharedWithGroup(sharedWith)] : []),
    ...(forkedFrom !== undefined ? [eb('projects.forked_from_id', '=', forkedFrom)] : []),
  ];
}

/** GitLab's search looks for no more. Databases refuse conditions of thousands. */
const MAX_WORDS = 64;

function words(eb: Scope, { search, searchNamespaces }: ProjectFilter): Expression<SqlBool>[] {
  const columns = ['projects.name', 'projects.path', 'projects.description'] as const;
  const where = searchNamespaces ? [...columns, 'projects.full_path' as const] : columns;
  const asked = new Set(searchWords(search));
  if (asked.size > MAX_WORDS) return [sql<SqlBool>`1 = 0`];
  return [...asked].map((word) => eb.or(where.map((column) => containsText(eb.ref(column), word))));
}

const searchWords = (search: string | undefined): string[] =>
  (search ?? '').split(/\s+/).filter((word) => word !== '');

const starred = (userId: number): Expression<SqlBool> =>
  sql<SqlBool>`projects.id in (select project_id from project_stars where user_id = ${userId})`;

const sharedWithGroup = (groupId: number): Expression<SqlBool> =>
  sql<SqlBool>`projects.id in (select project_id from group_shares where shared_with_id = ${groupId})`;

/** Settings are JSON text that only `settingsText` writes, so that a value looks the same in every row. */
function featureOpen(feature: string, viewer: Viewer): Expression<SqlBool> {
  const set = (value: string) => sql<SqlBool>`projects.settings like ${`%"${feature}":"${value}"%`}`;
  const forAll = sql<SqlBool>`not (${set('disabled')}) and not (${set('private')})`;
  if (viewer.admin) return sql<SqlBool>`not (${set('disabled')})`;
  return sql<SqlBool>`((${forAll}) or (${set('private')} and ${memberOfProject(viewer)}))`;
}

/** Topics are the last entry of that JSON: what follows the key is nothing but topics. */
const hasTopic = (topic: string): Expression<SqlBool> =>
  sql<SqlBool>`projects.settings like ${`%"topics":[%${escapeLike(JSON.stringify(topic))}%`} escape '\\'`;

const column = (by: Exclude<ProjectOrder['by'], 'similarity'>) => sql.ref(`projects.${by}`);

function behind({ by, direction }: ProjectOrder, after: NonNullable<Slice['after']>): Expression<SqlBool> {
  if (by === 'similarity') throw new Error('similarity has no position to go on from');
  const compare = direction === 'asc' ? sql`>` : sql`<`;
  return sql<SqlBool>`(${column(by)}, projects.id) ${compare} (${after.value}, ${after.id})`;
}

function ordered<O>(
  query: SelectQueryBuilder<Tables, 'projects' | 'namespaces', O>,
  { by, direction }: ProjectOrder,
  search: string | undefined,
): SelectQueryBuilder<Tables, 'projects' | 'namespaces', O> {
  if (by === 'id') return query;
  if (by !== 'similarity') return query.orderBy(column(by), direction);
  return search ? query.orderBy(similarity(search), direction) : query;
}

/** More for the name or path itself than for one that begins with the text, than for one that holds it. */
function similarity(search: string) {
  const text = sql`lower(${search})`;
  const begins = sql`lower(${`${escapeLike(search)}%`})`;
  return sql`case when lower(projects.name) = ${text} or lower(projects.path) = ${text} then 3
    when lower(projects.name) like ${begins} escape '\\' or lower(projects.path) like ${begins} escape '\\' then 2
    else 1 end`;
}
