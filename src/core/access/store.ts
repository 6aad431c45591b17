import { type Expression, type SqlBool, sql } from 'kysely';
import { type PreparedQuery, prepared } from '../../platform/db/prepared.ts';
import type { Db, Queryable } from '../../platform/db/tables.ts';

/** Where memberships are looked up: the things themselves and every group above them. */
export interface Places {
  projectIds: number[];
  namespaceIds: number[];
}

/** One way in which a user belongs somewhere. */
export interface Belonging {
  /** Exactly one of the two is set: where the membership or the share is. */
  projectId: number | null;
  namespaceId: number | null;
  level: number;
  /** Through a group with which the place is shared, not by a membership of its own. */
  shared: boolean;
}

/** `/1/5/9/` to `[1, 5, 9]`. */
export const traversalIds = (traversal: string): number[] => traversal.split('/').filter(Boolean).map(Number);

/** Memberships and shares of one user at these places that count on the given day, by one query. */
export async function belongings(db: Queryable, asked: AskedBelongings): Promise<Belonging[]> {
  const { rows } = await belongingsQuery(asked).execute(db);
  return rows.map(belongingOf);
}

export interface AskedBelongings {
  userId: number;
  places: Places;
  today: string;
}

/**
 * The same for one place, which every request asks: composed once for each depth of nesting, since composing takes longer
 * than SQLite itself.
 */
export class BelongingLookup {
  readonly #db: Db;
  readonly #byDepth = new Map<number, PreparedQuery<Record<string, unknown>, BelongingRow>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** `projectId` is 0 where only groups are asked for: no project has that number. */
  async at(
    projectId: number,
    namespaceIds: number[],
    { userId, today }: { userId: number; today: string },
  ): Promise<Belonging[]> {
    const numbered = namespaceIds.map((id, index) => [`group${index}`, id] as const);
    const rows = await this.#query(namespaceIds.length)({
      userId,
      today,
      projectId,
      ...Object.fromEntries(numbered),
    });
    return rows.map(belongingOf);
  }

  #query(depth: number): PreparedQuery<Record<string, unknown>, BelongingRow> {
    const known = this.#byDepth.get(depth);
    if (known) return known;
    const made = prepared(this.#db, (db, at: Record<string, unknown>) => {
      const namespaceIds = Array.from({ length: depth }, (_, index) => at[`group${index}`] as number);
      const places = { projectIds: [at['projectId'] as number], namespaceIds };
      const asked = { userId: at['userId'] as number, today: at['today'] as string, places };
      return { compile: () => belongingsQuery(asked).compile(db) };
    });
    this.#byDepth.set(depth, made);
    return made;
  }
}

const belongingsQuery = ({ userId, places, today }: AskedBelongings) => sql<BelongingRow>`
    select m.project_id, m.namespace_id, m.access_level, 0 as shared from members as m
    where m.user_id = ${userId} and ${counts('m', today)} and ${at('m', places)}
    union all
    select s.project_id, s.namespace_id,
      case when m.access_level < s.access_level then m.access_level else s.access_level end, 1
    from group_shares as s
      join namespaces as g on g.id = s.shared_with_id
      join members as m on m.user_id = ${userId} and g.traversal like '%/' || m.namespace_id || '/%'
    where ${at('s', places)} and ${alive('s', today)} and ${counts('m', today)}`;

const belongingOf = (row: BelongingRow): Belonging => ({
  projectId: row.project_id,
  namespaceId: row.namespace_id,
  level: row.access_level,
  shared: row.shared === 1,
});

interface BelongingRow {
  project_id: number | null;
  namespace_id: number | null;
  access_level: number;
  shared: number;
}

/** Ids are numbers of ours, never a caller's text, but go in as parameters all the same. */
function at(alias: 'm' | 's', { projectIds, namespaceIds }: Places): Expression<SqlBool> {
  const within = (column: string, ids: number[]) =>
    ids.length === 0 ? sql`1 = 0` : sql`${sql.ref(`${alias}.${column}`)} in (${sql.join(ids)})`;
  return sql<SqlBool>`(${within('project_id', projectIds)} or ${within('namespace_id', namespaceIds)})`;
}

/** Ends at the beginning of its expiry day. */
const alive = (alias: 'm' | 's', today: string): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${alias}.expires_at`)} is null or ${sql.ref(`${alias}.expires_at`)} > ${today})`;

/** An access request is a row of `members` too, but no membership. */
const counts = (alias: 'm', today: string): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${alias}.requested_at`)} is null and ${alive(alias, today)})`;

export interface Viewer {
  userId: number | null;
  admin: boolean;
  external: boolean;
  today: string;
}

/**
 * The condition "this viewer may see the project" for a query over `projects` joined with its `namespaces`, so that lists
 * and counts never hold what a filter would have to take out again.
 *
 * The conditions in this file name sets that do not depend on the row: the database finds them once, from the viewer's own
 * memberships down, instead of testing every project against every membership.
 */
export function visibleProject(viewer: Viewer): Expression<SqlBool> {
  if (viewer.admin) return sql<SqlBool>`1 = 1`;
  const open = openTo('projects', viewer);
  return viewer.userId === null ? open : sql<SqlBool>`(${open} or ${memberOfProject(viewer)})`;
}

/** The condition "this viewer is a member", directly, through a group above, a share, or by owning the namespace; optionally of at least a level. */
export function memberOfProject(viewer: Viewer, minimum = 0): Expression<SqlBool> {
  return sql<SqlBool>`(namespaces.owner_id = ${viewer.userId}
    or projects.id in (${projectsOwnSet(viewer, minimum)})
    or projects.namespace_id in (${groupsWithin(viewer, minimum)}))`;
}

/** The same two conditions for groups, over `namespaces`. Members of a subgroup or a project below may see the groups above. */
export function visibleGroup(viewer: Viewer): Expression<SqlBool> {
  if (viewer.admin) return sql<SqlBool>`1 = 1`;
  const open = openTo('namespaces', viewer);
  if (viewer.userId === null) return open;
  return sql<SqlBool>`(${open} or ${memberOfGroup(viewer)} or ${memberBelowGroup(viewer)})`;
}

export function memberOfGroup(viewer: Viewer, minimum = 0): Expression<SqlBool> {
  return sql<SqlBool>`namespaces.id in (${groupsWithin(viewer, minimum)})`;
}

function openTo(table: 'projects' | 'namespaces', { userId, external }: Viewer): Expression<SqlBool> {
  const visibility = sql.ref(`${table}.visibility`);
  return userId === null || external
    ? sql<SqlBool>`${visibility} = 'public'`
    : sql<SqlBool>`${visibility} in ('public', 'internal')`;
}

/** Groups of which the viewer is a member himself, with all groups below them, as the recursive table `mine`. */
const mine = ({ userId, today }: Viewer, minimum: number) => sql`mine(id) as (
    select m.namespace_id from members as m
    where m.user_id = ${userId} and m.namespace_id is not null and m.access_level >= ${minimum} and ${counts('m', today)}
    union select below.id from namespaces as below join mine on below.parent_id = mine.id
  )`;

/** The groups of `mine`, and those that are shared with one of them, with all groups below. Shares do not chain. */
const groupsWithin = (
  viewer: Viewer,
  minimum: number,
) => sql`with recursive ${mine(viewer, minimum)}, given(id) as (
    select s.namespace_id from group_shares as s
    where s.shared_with_id in (select id from mine) and s.namespace_id is not null and s.access_level >= ${minimum} and ${alive('s', viewer.today)}
    union select below.id from namespaces as below join given on below.parent_id = given.id
  )
  select id from mine union select id from given`;

/** Projects with a membership or a share of their own. */
const projectsOwnSet = (viewer: Viewer, minimum: number) => sql`with recursive ${mine(viewer, minimum)}
  select m.project_id from members as m
  where m.user_id = ${viewer.userId} and m.project_id is not null
    and m.access_level >= ${minimum} and ${counts('m', viewer.today)}
  union
  select s.project_id from group_shares as s
  where s.shared_with_id in (select id from mine) and s.project_id is not null and s.access_level >= ${minimum} and ${alive('s', viewer.today)}`;

/** The namespaces above everything that the viewer belongs to. */
function memberBelowGroup(viewer: Viewer): Expression<SqlBool> {
  return sql<SqlBool>`namespaces.id in (with recursive up(id, parent_id) as (
      select n.id, n.parent_id from namespaces as n where n.id in (${groupsWithin(viewer, 0)})
        or n.id in (select p.namespace_id from projects as p where p.id in (${projectsOwnSet(viewer, 0)}))
      union select above.id, above.parent_id from namespaces as above join up on above.id = up.parent_id
    ) select id from up)`;
}

/** Whether the user is a member somewhere below the group, which lets him see the group itself. */
export async function isMemberBelow(db: Queryable, groupId: number, viewer: Viewer): Promise<boolean> {
  const found = await db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', '=', groupId)
    .where(memberBelowGroup(viewer))
    .executeTakeFirst();
  return found !== undefined;
}
