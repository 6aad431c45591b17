import type { Queryable, Tx } from '../../platform/db/tables.ts';

/** People of merge requests. */

export type Role = 'assignees' | 'reviewers';

export async function replacePeople(
  tx: Tx,
  role: Role,
  mergeRequestId: number,
  userIds: readonly number[],
): Promise<{ added: number[]; removed: number[] }> {
  const before = (await loadPeople(tx, role, [mergeRequestId])).get(mergeRequestId) ?? [];
  const after = [...new Set(userIds)];
  const removed = before.filter((id) => !after.includes(id));
  const added = after.filter((id) => !before.includes(id));
  if (removed.length > 0) {
    await tx
      .deleteFrom(`merge_request_${role}`)
      .where('merge_request_id', '=', mergeRequestId)
      .where('user_id', 'in', removed)
      .execute();
  }
  if (added.length > 0) {
    const rows = added.map((user_id) => ({ merge_request_id: mergeRequestId, user_id }));
    await tx.insertInto(`merge_request_${role}`).values(rows).execute();
  }
  return { added, removed };
}

/** Ids of users by merge request. */
export async function loadPeople(
  db: Queryable,
  role: Role,
  mergeRequestIds: readonly number[],
): Promise<Map<number, number[]>> {
  const result = new Map<number, number[]>(mergeRequestIds.map((id) => [id, []]));
  if (mergeRequestIds.length === 0) return result;
  const rows = await db
    .selectFrom(`merge_request_${role}`)
    .select(['merge_request_id', 'user_id'])
    .where('merge_request_id', 'in', mergeRequestIds)
    .orderBy('user_id')
    .execute();
  for (const row of rows) result.get(row.merge_request_id)?.push(row.user_id);
  return result;
}

/** Where the pages and settings of merge requests are: their target projects by id. */
export async function loadProjects(db: Queryable, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, never>();
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'full_path', 'settings'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
