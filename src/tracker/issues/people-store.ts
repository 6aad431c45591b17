import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { IssueRow } from './tables.ts';

/** Replaces the assignees; tells who came and who went. */
export async function replaceAssignees(
  tx: Tx,
  issueId: number,
  userIds: readonly number[],
): Promise<{ added: number[]; removed: number[] }> {
  const before = (await loadAssignees(tx, [issueId])).get(issueId) ?? [];
  const after = [...new Set(userIds)];
  const removed = before.filter((id) => !after.includes(id));
  const added = after.filter((id) => !before.includes(id));
  if (removed.length > 0) {
    await tx
      .deleteFrom('issue_assignees')
      .where('issue_id', '=', issueId)
      .where('user_id', 'in', removed)
      .execute();
  }
  if (added.length > 0) {
    const rows = added.map((user_id) => ({ issue_id: issueId, user_id }));
    await tx
      .insertInto('issue_assignees')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return { added, removed };
}

/** Ids of users by issue. */
export async function loadAssignees(
  db: Queryable,
  issueIds: readonly number[],
): Promise<Map<number, number[]>> {
  const result = new Map<number, number[]>(issueIds.map((id) => [id, []]));
  if (issueIds.length === 0) return result;
  const rows = await db
    .selectFrom('issue_assignees')
    .select(['issue_id', 'user_id'])
    .where('issue_id', 'in', issueIds)
    .orderBy('user_id')
    .execute();
  for (const row of rows) result.get(row.issue_id)?.push(row.user_id);
  return result;
}

export async function isAssignee(db: Queryable, issueId: number, userId: number): Promise<boolean> {
  const found = await db
    .selectFrom('issue_assignees')
    .select('user_id')
    .where('issue_id', '=', issueId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return found !== undefined;
}

/** Author, assignees and those who wrote a note, each once. */
export async function participantIds(db: Queryable, issue: IssueRow): Promise<number[]> {
  const writers = await db
    .selectFrom('notes')
    .select('author_id')
    .distinct()
    .where('noteable_type', '=', 'Issue')
    .where('noteable_id', '=', issue.id)
    .where('system', '=', 0)
    .where('author_id', 'is not', null)
    .orderBy('author_id')
    .execute();
  const assignees = (await loadAssignees(db, [issue.id])).get(issue.id) ?? [];
  const others = writers.flatMap(({ author_id }) => author_id ?? []);
  return [...new Set([...(issue.author_id === null ? [] : [issue.author_id]), ...assignees, ...others])];
}
