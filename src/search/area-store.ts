import { type Expression, type SqlBool, sql } from 'kysely';
import { visibleFeature } from '../core/access/feature-store.ts';
import { type Viewer, visibleProject } from '../core/access/store.ts';
import { belowSet } from '../core/groups/store.ts';
import { readableMergeRequests } from '../tracker/merge-requests/visible-store.ts';
import type { Search } from './scope.ts';

/** Conditions over `projects` joined with their `namespaces`: in which of them a viewer finds things of a kind. */
export const readable = {
  projects: visibleProject,
  issues: (viewer: Viewer) => visibleFeature(viewer, 'issues'),
  merge_requests: readableMergeRequests,
  milestones: (viewer: Viewer) =>
    sql<SqlBool>`(${visibleFeature(viewer, 'issues')} or ${readableMergeRequests(viewer)})`,
};

type Kind = keyof typeof readable;

/** So many projects are named one by one; the database then goes from them to their rows, not the other way. */
const NAMED = 200;

/** The condition "within what is searched, where the caller may read such things" for a query over `table`. */
export async function withinArea(
  search: Search,
  table: 'issues' | 'merge_requests' | 'milestones',
): Promise<Expression<SqlBool>> {
  const column = sql.ref(`${table}.project_id`);
  if (search.place.level === 'project') return sql<SqlBool>`${column} = ${search.place.project.id}`;
  const projects = search.core.db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('projects.id')
    .where(projectsInArea(search, table));
  const named = await projects.limit(NAMED + 1).execute();
  if (named.length > NAMED) return sql<SqlBool>`${column} in (${projects})`;
  const ids = named.map(({ id }) => id);
  return ids.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${column} in (${sql.join(ids)})`;
}

/** The same for `projects` joined with their `namespaces`, on the instance and in groups. */
export function projectsInArea({ place, viewer, params }: Search, kind: Kind): Expression<SqlBool> {
  const conditions = [readable[kind](viewer)];
  if (!params.include_archived) conditions.push(sql<SqlBool>`projects.archived = 0`);
  if (place.level === 'group') {
    const { id } = place.group;
    conditions.push(
      sql<SqlBool>`(projects.namespace_id = ${id} or projects.namespace_id in (${belowSet(id)}))`,
    );
  }
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}
