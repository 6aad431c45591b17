import type { Insertable, Selectable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { type Viewer, visibleGroup } from '../access/store.ts';
import type { GroupSharesTable } from '../tables.ts';

/** A share as it is shown with the project or group that is shared. */
interface SharedGroupRow {
  /** Of the shared project or group. */
  owner_id: number;
  group_id: number;
  group_name: string;
  group_full_path: string;
  group_access_level: number;
  expires_at: string | null;
}

/** With which groups these projects, or these groups, are shared, as far as the viewer may see them; oldest first. */
export async function sharesOf(
  db: Queryable,
  kind: 'project' | 'group',
  ids: number[],
  viewer: Viewer,
): Promise<Map<number, Omit<SharedGroupRow, 'owner_id'>[]>> {
  if (ids.length === 0) return new Map();
  const column = kind === 'project' ? 'group_shares.project_id' : 'group_shares.namespace_id';
  const rows = await db
    .selectFrom('group_shares')
    .innerJoin('namespaces', 'namespaces.id', 'group_shares.shared_with_id')
    .select([
      `${column} as owner_id`,
      'group_shares.shared_with_id as group_id',
      'namespaces.name as group_name',
      'namespaces.full_path as group_full_path',
      'group_shares.access_level as group_access_level',
      'group_shares.expires_at',
    ])
    .where(column, 'in', ids)
    .where(visibleGroup(viewer))
    .orderBy('group_shares.id')
    .execute();
  const byOwner = Map.groupBy(rows, ({ owner_id: id }) => id!);
  return new Map([...byOwner].map(([id, list]) => [id, list.map(({ owner_id: _, ...share }) => share)]));
}

/** What is shared: its number, by kind. */
export type SharedThing = { projectId: number } | { groupId: number };

export type ShareRow = Selectable<GroupSharesTable>;

/** Throws UniqueViolation when it is shared with that group already. */
export function insertShare(tx: Tx, values: Insertable<GroupSharesTable>): Promise<ShareRow> {
  return tx.insertInto('group_shares').values(values).returningAll().executeTakeFirstOrThrow();
}

/** False when there is no such share. */
export async function deleteShare(tx: Tx, shared: SharedThing, sharedWithId: number): Promise<boolean> {
  const query = tx.deleteFrom('group_shares').where('shared_with_id', '=', sharedWithId);
  const { numDeletedRows } = await ('projectId' in shared
    ? query.where('project_id', '=', shared.projectId)
    : query.where('namespace_id', '=', shared.groupId)
  ).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
