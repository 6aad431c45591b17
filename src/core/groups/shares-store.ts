import type { Insertable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { type Viewer, visibleGroup } from '../access/store.ts';
import type { GroupSharesTable } from '../tables.ts';

/** A share as it is shown with the project or group that is shared. */
export interface ShareRow {
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
): Promise<Map<number, Omit<ShareRow, 'owner_id'>[]>> {
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

/** Throws UniqueViolation when it is shared with that group already. */
export async function insertShare(tx: Tx, values: Insertable<GroupSharesTable>): Promise<void> {
  await tx.insertInto('group_shares').values(values).execute();
}

/** False when there is no such share. */
export async function deleteShare(
  tx: Tx,
  owner: { projectId: number } | { groupId: number },
  sharedWithId: number,
): Promise<boolean> {
  const [column, id] =
    'projectId' in owner
      ? (['project_id', owner.projectId] as const)
      : (['namespace_id', owner.groupId] as const);
  const { numDeletedRows } = await tx
    .deleteFrom('group_shares')
    .where(column, '=', id)
    .where('shared_with_id', '=', sharedWithId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
