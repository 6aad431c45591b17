import type { Queryable, Tx } from '../../../platform/db/tables.ts';

/** How many merge requests close each of these issues when they are merged. */
export async function countClosing(db: Queryable, issueIds: readonly number[]): Promise<Map<number, number>> {
  if (issueIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('merge_request_issues')
    .select((eb) => ['issue_id', eb.fn.countAll<number>().as('count')])
    .where('issue_id', 'in', issueIds)
    .where('closes', '=', 1)
    .groupBy('issue_id')
    .execute();
  return new Map(rows.map(({ issue_id, count }) => [issue_id, count]));
}

/** Numbers that no issue of the project has are left out. */
export function issueIdsOf(
  db: Queryable,
  projectId: number,
  iids: readonly number[],
): Promise<{ id: number; iid: number }[]> {
  return db
    .selectFrom('issues')
    .select(['id', 'iid'])
    .where('project_id', '=', projectId)
    .where('iid', 'in', iids)
    .execute();
}

/** The merge request speaks of these issues, by id, and of no others. What it has closed already is remembered. */
export async function replaceMentions(
  tx: Tx,
  mergeRequestId: number,
  mentions: ReadonlyMap<number, { closes: boolean }>,
): Promise<void> {
  const gone = tx.deleteFrom('merge_request_issues').where('merge_request_id', '=', mergeRequestId);
  if (mentions.size === 0) {
    await gone.execute();
    return;
  }
  await gone.where('issue_id', 'not in', [...mentions.keys()]).execute();
  const rows = [...mentions].map(([issue_id, { closes }]) => ({
    merge_request_id: mergeRequestId,
    issue_id,
    closes: closes ? 1 : 0,
  }));
  await tx
    .insertInto('merge_request_issues')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['merge_request_id', 'issue_id'])
        .doUpdateSet((eb) => ({ closes: eb.ref('excluded.closes') })),
    )
    .execute();
}

/** Ids of issues that merging the request is to close and has not closed yet. */
export async function issuesToClose(db: Queryable, mergeRequestId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_request_issues')
    .select('issue_id')
    .where('merge_request_id', '=', mergeRequestId)
    .where('closes', '=', 1)
    .where('closed', '=', 0)
    .orderBy('issue_id')
    .execute();
  return rows.map(({ issue_id }) => issue_id);
}

/** False when it was done before: an issue that was reopened since is not closed again. */
export async function markClosed(tx: Tx, mergeRequestId: number, issueId: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('merge_request_issues')
    .set({ closed: 1 })
    .where('merge_request_id', '=', mergeRequestId)
    .where('issue_id', '=', issueId)
    .where('closed', '=', 0)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether exactly this was written down already among the comments of an issue. */
export async function hasSystemNote(tx: Tx, issueId: number, body: string): Promise<boolean> {
  const found = await tx
    .selectFrom('notes')
    .select('id')
    .where('noteable_type', '=', 'Issue')
    .where('noteable_id', '=', issueId)
    .where('system', '=', 1)
    .where('body', '=', body)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
