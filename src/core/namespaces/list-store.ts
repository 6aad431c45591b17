import { type Expression, type SqlBool, sql } from 'kysely';
import { containsText } from '../../platform/db/like.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { Level } from '../access/levels.ts';
import { memberOfGroup, type Viewer } from '../access/store.ts';
import { belowSet } from '../groups/store.ts';
import type { Namespace } from '../tables.ts';

export interface NamespaceFilter {
  viewer: Viewer;
  search?: string | undefined;
  /** Groups of which he is an owner, and his own namespace. */
  ownedOnly?: boolean;
  topLevelOnly?: boolean;
  /** Look for the text in the whole path, too. */
  fullPathSearch?: boolean;
}

export function listNamespaces(
  db: Queryable,
  filter: NamespaceFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<Namespace[]> {
  return narrowed(db, filter).selectAll().orderBy('namespaces.id').limit(limit).offset(offset).execute();
}

export async function countNamespaces(db: Queryable, filter: NamespaceFilter): Promise<number> {
  const row = await narrowed(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

function narrowed(db: Queryable, filter: NamespaceFilter) {
  let query = db.selectFrom('namespaces').where(belongsTo(filter));
  if (filter.search) query = query.where(matching(filter.search, filter.fullPathSearch ?? false));
  if (filter.topLevelOnly) query = query.where('namespaces.parent_id', 'is', null);
  return query;
}

/** Administrators see all, unless they ask for what is their own. */
function belongsTo({ viewer, ownedOnly }: NamespaceFilter): Expression<SqlBool> {
  if (viewer.admin && !ownedOnly) return sql<SqlBool>`1 = 1`;
  const groups = memberOfGroup(viewer, ownedOnly ? Level.owner : 0);
  return sql<SqlBool>`(namespaces.owner_id = ${viewer.userId} or ${groups})`;
}

function matching(search: string, wholePath: boolean): Expression<SqlBool> {
  const path = sql.ref(wholePath ? 'namespaces.full_path' : 'namespaces.path');
  return sql<SqlBool>`(${containsText(sql.ref('namespaces.name'), search)} or ${containsText(path, search)})`;
}

/** People with a membership in the group, or in a group or project below it. */
export async function countMembersWithin(db: Queryable, groupId: number, today: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct m.user_id) as count from members as m
    where m.requested_at is null and (m.expires_at is null or m.expires_at > ${today})
      and (m.namespace_id = ${groupId} or m.namespace_id in (${belowSet(groupId)}) or m.project_id in (
        select p.id from projects as p where p.namespace_id = ${groupId} or p.namespace_id in (${belowSet(groupId)})))`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}
