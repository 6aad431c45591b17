import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { ReviewState } from '../../tables.ts';

export interface Approval {
  userId: number;
  /** ms since the epoch */
  createdAt: number;
}

/** Oldest first. */
export async function approvalsOf(db: Queryable, mergeRequestId: number): Promise<Approval[]> {
  const rows = await db
    .selectFrom('merge_request_approvals')
    .select(['user_id', 'created_at'])
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('created_at')
    .orderBy('user_id')
    .execute();
  return rows.map((row) => ({ userId: row.user_id, createdAt: row.created_at }));
}

/** False when it was there already: of two calls at once, one approves. */
export async function insertApproval(
  tx: Tx,
  mergeRequestId: number,
  { userId, createdAt }: Approval,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('merge_request_approvals')
    .values({ merge_request_id: mergeRequestId, user_id: userId, created_at: createdAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** False when there was none. */
export async function deleteApproval(tx: Tx, mergeRequestId: number, userId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('merge_request_approvals')
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Those who had approved. */
export async function deleteApprovals(tx: Tx, mergeRequestId: number): Promise<number[]> {
  const rows = await tx
    .deleteFrom('merge_request_approvals')
    .where('merge_request_id', '=', mergeRequestId)
    .returning('user_id')
    .execute();
  return rows.map((row) => row.user_id);
}

/** What the list of reviewers shows; nothing happens for those who are none. */
export async function setReviewState(
  tx: Tx,
  mergeRequestId: number,
  userIds: readonly number[],
  state: ReviewState,
): Promise<void> {
  if (userIds.length === 0) return;
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state })
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', 'in', userIds)
    .execute();
}
