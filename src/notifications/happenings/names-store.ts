import type { Queryable } from '../../platform/db/tables.ts';

export interface NamedNamespace {
  id: number;
  kind: 'user' | 'group';
  owner_id: number | null;
  visibility: string;
  traversal: string;
  settings: string;
  full_path: string;
}

/** Users and groups by their paths, which are in lower case. */
export async function namespacesNamed(db: Queryable, names: readonly string[]): Promise<NamedNamespace[]> {
  if (names.length === 0) return [];
  return db
    .selectFrom('namespaces')
    .select(['id', 'kind', 'owner_id', 'visibility', 'traversal', 'settings', 'full_path'])
    .where((eb) => eb(eb.fn<string>('lower', ['full_path']), 'in', names))
    .execute();
}

/** Direct memberships of these groups that count on the day; of all users, or of these. */
export async function groupMembers(
  db: Queryable,
  { groupIds, userIds, today }: { groupIds: readonly number[]; userIds?: readonly number[]; today: string },
): Promise<{ user_id: number; namespace_id: number }[]> {
  if (groupIds.length === 0 || userIds?.length === 0) return [];
  return db
    .selectFrom('members')
    .select(['user_id'])
    .select((eb) => eb.ref('namespace_id').$notNull().as('namespace_id'))
    .where('namespace_id', 'in', groupIds)
    .where('requested_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', today)]))
    .$if(userIds !== undefined, (query) => query.where('user_id', 'in', userIds!))
    .execute();
}

/** Settings of these groups. */
export function groupSettingsOf(
  db: Queryable,
  groupIds: readonly number[],
): Promise<{ id: number; settings: string }[]> {
  if (groupIds.length === 0) return Promise.resolve([]);
  return db.selectFrom('namespaces').select(['id', 'settings']).where('id', 'in', groupIds).execute();
}
