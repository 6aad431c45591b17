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
  return new Map(rows.map(({ issue_id, count }) => [issue_id, Number(count)]));
}

/** Ids by project and number; numbers that no issue has are left out. */
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

/** What the merge request speaks of is this and nothing else. */
export async function replaceMentions(
  tx: Tx,
  mergeRequestId: number,
  mentions: ReadonlyMap<number, { closes: boolean }>,
): Promise<void> {
  await tx.deleteFrom('merge_request_issues').where('merge_request_id', '=', mergeRequestId).execute();
  if (mentions.size === 0) return;
  const rows = [...mentions].map(([issue_id, { closes }]) => ({
    merge_request_id: mergeRequestId,
    issue_id,
    closes: closes ? 1 : 0,
  }));
  await tx.insertInto('merge_request_issues').values(rows).execute();
}

/** Ids of issues that merging the request closes, in the order of their numbers. */
export async function issuesClosedBy(db: Queryable, mergeRequestId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_request_issues')
    .innerJoin('issues', 'issues.id', 'issue_id')
    .select('issue_id')
    .where('merge_request_id', '=', mergeRequestId)
    .where('closes', '=', 1)
    .orderBy('issues.project_id')
    .orderBy('issues.iid')
    .execute();
  return rows.map(({ issue_id }) => issue_id);
}
