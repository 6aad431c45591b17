import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Queryable, Tables } from '../../platform/db/tables.ts';

/** Where memberships are looked up: the thing itself and every group above it. */
export interface Place {
  projectId: number | null;
  /** Ids of the namespace and its ancestors, from `traversal`. */
  namespaceIds: number[];
}

/** `/1/5/9/` to `[1, 5, 9]`. */
export const traversalIds = (traversal: string): number[] => traversal.split('/').filter(Boolean).map(Number);

/** Memberships (and shares with groups of which the user is a member) that count on the given day, as levels. */
export async function membershipLevels(
  db: Queryable,
  { userId, place, today }: { userId: number; place: Place; today: string },
): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .select('access_level')
    .where('user_id', '=', userId)
    .where('requested_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', today)]))
    .where((eb) => isPlace(eb, place))
    .unionAll(shareLevels(db, { userId, place, today }))
    .execute();
  return rows.map((row) => row.access_level);
}

function isPlace(eb: ExpressionBuilder<Tables, 'members'>, place: Place) {
  const conditions: Expression<SqlBool>[] = [];
  if (place.namespaceIds.length > 0) conditions.push(eb('members.namespace_id', 'in', place.namespaceIds));
  if (place.projectId !== null) conditions.push(eb('members.project_id', '=', place.projectId));
  return eb.or(conditions);
}

/** A share gives the lower of the share's level and the member's own level in the group shared with. */
function shareLevels(
  db: Queryable,
  { userId, place, today }: { userId: number; place: Place; today: string },
) {
  return db
    .selectFrom('group_shares as share')
    .innerJoin('namespaces as shared', 'shared.id', 'share.shared_with_id')
    .innerJoin('members as member', (join) =>
      join.on('member.user_id', '=', userId).on('member.requested_at', 'is', null),
    )
    .select(
      sql<number>`case when member.access_level < share.access_level then member.access_level else share.access_level end`.as(
        'access_level',
      ),
    )
    .where((eb) => eb.or([eb('member.expires_at', 'is', null), eb('member.expires_at', '>', today)]))
    .where((eb) => eb.or([eb('share.expires_at', 'is', null), eb('share.expires_at', '>', today)]))
    .where(sql<SqlBool>`shared.traversal like '%/' || member.namespace_id || '/%'`)
    .where((eb) => {
      const conditions: Expression<SqlBool>[] = [];
      if (place.namespaceIds.length > 0) conditions.push(eb('share.namespace_id', 'in', place.namespaceIds));
      if (place.projectId !== null) conditions.push(eb('share.project_id', '=', place.projectId));
      return eb.or(conditions);
    });
}

export interface Viewer {
  userId: number | null;
  admin: boolean;
  external: boolean;
  today: string;
}

/**
 * The condition "this viewer may see the project" for a query over `projects` joined with its `namespaces`, so that lists
 * and counts never hold what a filter would have to take out again.
 */
export function visibleProject(viewer: Viewer): Expression<SqlBool> {
  if (viewer.admin) return sql<SqlBool>`1 = 1`;
  if (viewer.userId === null) return sql<SqlBool>`projects.visibility = 'public'`;
  const open = viewer.external
    ? sql<SqlBool>`projects.visibility = 'public'`
    : sql<SqlBool>`projects.visibility in ('public', 'internal')`;
  return sql<SqlBool>`(${open} or ${memberOfProject(viewer)})`;
}

/** The condition "this viewer is a member", directly, through a group above, a share, or by owning the namespace; optionally of at least a level. */
export function memberOfProject(viewer: Viewer, minimum = 0): Expression<SqlBool> {
  const { userId, today } = viewer;
  return sql<SqlBool>`(namespaces.owner_id = ${userId} or exists (
    select 1 from members as m where m.user_id = ${userId} and m.requested_at is null
      and m.access_level >= ${minimum} and (m.expires_at is null or m.expires_at > ${today})
      and (m.project_id = projects.id or namespaces.traversal like '%/' || m.namespace_id || '/%')
  ) or exists (
    select 1 from members as m
      join namespaces as g on g.traversal like '%/' || m.namespace_id || '/%'
      join group_shares as s on s.shared_with_id = g.id
    where m.user_id = ${userId} and m.requested_at is null and m.access_level >= ${minimum}
      and s.access_level >= ${minimum} and (m.expires_at is null or m.expires_at > ${today})
      and (s.expires_at is null or s.expires_at > ${today})
      and (s.project_id = projects.id or namespaces.traversal like '%/' || s.namespace_id || '/%')
  ))`;
}

/** The same two conditions for groups, over `namespaces`. Members of a subgroup or a project below may see the groups above. */
export function visibleGroup(viewer: Viewer): Expression<SqlBool> {
  if (viewer.admin) return sql<SqlBool>`1 = 1`;
  if (viewer.userId === null) return sql<SqlBool>`namespaces.visibility = 'public'`;
  const open = viewer.external
    ? sql<SqlBool>`namespaces.visibility = 'public'`
    : sql<SqlBool>`namespaces.visibility in ('public', 'internal')`;
  return sql<SqlBool>`(${open} or ${memberOfGroup(viewer)} or ${memberBelowGroup(viewer)})`;
}

export function memberOfGroup(viewer: Viewer, minimum = 0): Expression<SqlBool> {
  const { userId, today } = viewer;
  return sql<SqlBool>`(exists (
    select 1 from members as m where m.user_id = ${userId} and m.requested_at is null
      and m.access_level >= ${minimum} and (m.expires_at is null or m.expires_at > ${today})
      and namespaces.traversal like '%/' || m.namespace_id || '/%'
  ) or exists (
    select 1 from members as m
      join namespaces as g on g.traversal like '%/' || m.namespace_id || '/%'
      join group_shares as s on s.shared_with_id = g.id
    where m.user_id = ${userId} and m.requested_at is null and m.access_level >= ${minimum}
      and s.access_level >= ${minimum} and (m.expires_at is null or m.expires_at > ${today})
      and (s.expires_at is null or s.expires_at > ${today})
      and namespaces.traversal like '%/' || s.namespace_id || '/%'
  ))`;
}

function memberBelowGroup({ userId, today }: Viewer): Expression<SqlBool> {
  return sql<SqlBool>`exists (
    select 1 from members as m
      left join namespaces as below on below.id = m.namespace_id
      left join projects as p on p.id = m.project_id
      left join namespaces as home on home.id = p.namespace_id
    where m.user_id = ${userId} and m.requested_at is null and (m.expires_at is null or m.expires_at > ${today})
      and (below.traversal like namespaces.traversal || '%' or home.traversal like namespaces.traversal || '%')
  )`;
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
