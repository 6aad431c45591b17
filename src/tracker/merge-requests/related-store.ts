import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { MergeRequestRow, ReviewState } from '../tables.ts';

/** People of merge requests. */

export type Role = 'assignees' | 'reviewers';

export async function replacePeople(
  tx: Tx,
  role: Role,
  mergeRequestId: number,
  { userIds, now }: { userIds: readonly number[]; now: number },
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
    if (role === 'assignees') await tx.insertInto('merge_request_assignees').values(rows).execute();
    else {
      const asked = rows.map((row) => ({ ...row, created_at: now }));
      await tx.insertInto('merge_request_reviewers').values(asked).execute();
    }
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

export async function isAssigneeOrReviewer(db: Queryable, id: number, userId: number): Promise<boolean> {
  const named = (role: Role) =>
    db
      .selectFrom(`merge_request_${role}`)
      .select('user_id')
      .where('merge_request_id', '=', id)
      .where('user_id', '=', userId);
  const found = await named('assignees').unionAll(named('reviewers')).limit(1).executeTakeFirst();
  return found !== undefined;
}

export function loadReviewers(
  db: Queryable,
  mergeRequestId: number,
): Promise<{ user_id: number; state: ReviewState; created_at: number }[]> {
  return db
    .selectFrom('merge_request_reviewers')
    .select(['user_id', 'state', 'created_at'])
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('user_id')
    .execute();
}

/** Author, assignees, reviewers and writers of notes, each once. */
export async function participantIds(db: Queryable, row: MergeRequestRow): Promise<number[]> {
  const writers = await db
    .selectFrom('notes')
    .select('author_id as user_id')
    .distinct()
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', '=', row.id)
    .where('system', '=', 0)
    .where('author_id', 'is not', null)
    .execute();
  const assignees = (await loadPeople(db, 'assignees', [row.id])).get(row.id) ?? [];
  const reviewers = (await loadPeople(db, 'reviewers', [row.id])).get(row.id) ?? [];
  const named = [row.author_id, ...writers.map(({ user_id }) => user_id)];
  return [...new Set([...named.flatMap((id) => id ?? []), ...assignees, ...reviewers])];
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
