import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { MergeRequestRow, MergeRequestState } from '../../tables.ts';

/** Rows of one statement: SQLite takes some 32,000 values at once. */
const BATCH = 1000;

/** Newest first. */
export async function replaceCommits(tx: Tx, mergeRequestId: number, shas: readonly string[]): Promise<void> {
  await tx.deleteFrom('merge_request_commits').where('merge_request_id', '=', mergeRequestId).execute();
  for (let at = 0; at < shas.length; at += BATCH) {
    const rows = shas.slice(at, at + BATCH).map((sha, index) => ({
      merge_request_id: mergeRequestId,
      position: at + index,
      sha,
    }));
    await tx.insertInto('merge_request_commits').values(rows).execute();
  }
}

export async function listCommitIds(
  db: Queryable,
  mergeRequestId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('merge_request_commits')
    .select('sha')
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('position')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ sha }) => sha);
}

export async function countCommitIds(db: Queryable, mergeRequestId: number): Promise<number> {
  const { count } = await db
    .selectFrom('merge_request_commits')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('merge_request_id', '=', mergeRequestId)
    .executeTakeFirstOrThrow();
  return count;
}

export interface ForCommit {
  projectId: number;
  sha: string;
  state?: MergeRequestState | null | undefined;
}

/** Merge requests of the project whose diff has the commit, or whose merge or squash commit it is; newest first. */
export function mergeRequestsWithCommit(
  db: Queryable,
  { projectId, sha, state }: ForCommit,
): Promise<MergeRequestRow[]> {
  let query = db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('merge_request_commits')
        .select('merge_request_id as id')
        .where('sha', '=', sha)
        .union(withEndCommit(db, projectId, 'merge_commit_sha', sha))
        .union(withEndCommit(db, projectId, 'squash_commit_sha', sha)),
    )
    .where('project_id', '=', projectId);
  if (state) query = query.where('state', '=', state);
  return query.orderBy('id', 'desc').execute();
}

const withEndCommit = (
  db: Queryable,
  projectId: number,
  column: 'merge_commit_sha' | 'squash_commit_sha',
  sha: string,
) =>
  db
    .selectFrom('merge_requests as ended')
    .select('ended.id as id')
    .where('ended.project_id', '=', projectId)
    .where(`ended.${column}`, '=', sha);

/** The merge request that this commit merged; its squashed commit does not count. */
export function mergeRequestByMergeCommit(
  db: Queryable,
  projectId: number,
  sha: string,
): Promise<MergeRequestRow | undefined> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('merge_commit_sha', '=', sha)
    .where('state', '=', sql.lit('merged'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
