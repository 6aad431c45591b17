import { type Expression, type SqlBool, sql } from 'kysely';
import { visibleFeature, visibleToReporters } from '../core/access/feature-store.ts';
import { type Viewer, visibleProject } from '../core/access/store.ts';
import { belowSet } from '../core/groups/store.ts';
import type { Queryable } from '../platform/db/tables.ts';
import { readableMergeRequests } from '../tracker/merge-requests/visible-store.ts';
import type { SearchedProject } from './blobs/search.ts';
import type { Search } from './scope.ts';

/** Conditions over `projects` joined with their `namespaces`: in which of them a viewer finds things of a kind. */
const readable = {
  projects: visibleProject,
  code: (viewer: Viewer) => visibleToReporters(viewer, 'repository'),
  wiki: (viewer: Viewer) => visibleFeature(viewer, 'wiki'),
  issues: (viewer: Viewer) => visibleFeature(viewer, 'issues'),
  merge_requests: readableMergeRequests,
  milestones: (viewer: Viewer) =>
    sql<SqlBool>`(${visibleFeature(viewer, 'issues')} or ${readableMergeRequests(viewer)})`,
};

type Kind = keyof typeof readable;

/**
 * The condition "within what is searched, where the caller may read such things", in two wordings: a database that goes through
 * rows in their order wants to begin with it or not at all, one that comes from the text index has only to compare.
 */
export interface Area {
  first: Expression<SqlBool>;
  beside: Expression<SqlBool>;
  /** How many rows it has at most, where that is known. */
  size?: number;
}

/** So many projects are named one by one. */
const NAMED = 200;
/** Of projects with fewer rows all are put in order at once; else the whole table is gone through in its order, and others passed over. */
const SORTED = 20_000;

const COUNTERS = { issues: 'issue', merge_requests: 'merge_request', milestones: 'milestone' } as const;

/** For a query over `table`. */
export async function areaOf(search: Search, table: keyof typeof COUNTERS): Promise<Area> {
  const { db } = search.core;
  if (search.place.level === 'project') return among(db, table, [search.place.project.id]);
  const projects = db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .where(projectsInArea(search, table));
  const named = await projects
    .select('projects.id')
    .limit(NAMED + 1)
    .execute();
  if (named.length > NAMED) {
    const owner = projects
      .select('projects.id')
      .where(sql<SqlBool>`projects.id = ${sql.ref(`${table}.project_id`)}`);
    return same(sql<SqlBool>`exists ${owner}`);
  }
  const ids = named.map(({ id }) => id);
  return ids.length === 0 ? same(sql<SqlBool>`1 = 0`) : among(db, table, ids);
}

/** A plus before a column keeps databases from looking for the rows by it. */
async function among(db: Queryable, table: keyof typeof COUNTERS, ids: number[]): Promise<Area> {
  const column = sql.ref(`${table}.project_id`);
  const beside = sql<SqlBool>`+${column} in (${sql.join(ids)})`;
  const size = await countRows(db, table, ids);
  const sortable = ids.length === 1 || size <= SORTED;
  return { first: sortable ? sql<SqlBool>`${column} in (${sql.join(ids)})` : beside, beside, size };
}

export const same = (condition: Expression<SqlBool>): Area => ({ first: condition, beside: condition });

/** At most, by the numbers that were given. */
async function countRows(db: Queryable, table: keyof typeof COUNTERS, projectIds: number[]): Promise<number> {
  const { sum } = await db
    .selectFrom('tracker_counters')
    .select((eb) => eb.fn.sum<number | null>('last_iid').as('sum'))
    .where('kind', '=', COUNTERS[table])
    .where('project_id', 'in', projectIds)
    .executeTakeFirstOrThrow();
  return Number(sum ?? 0);
}

/** For `projects` joined with their `namespaces`, on the instance and in groups. */
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

/** Every project whose code, or wiki, is searched. In the order of ids, which no later project disturbs. */
export async function searchedProjects(search: Search, kind: 'code' | 'wiki'): Promise<SearchedProject[]> {
  if (search.place.level === 'project') return [search.place.project];
  return (
    search.core.db
      .selectFrom('projects')
      .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
      .select(['projects.id', 'projects.storage_path', 'projects.default_branch'])
      .where(projectsInArea(search, kind))
      // A wiki is never forked.
      .$if(kind === 'code' && search.params.exclude_forks === true, (query) =>
        query.where('projects.forked_from_id', 'is', null),
      )
      .orderBy('projects.id')
      .execute()
  );
}
