import type { Queryable } from '../../../platform/db/tables.ts';

/** What a merge request offers or has offered: the diffs that a note can stand in. */

export async function wasOffered(
  db: Queryable,
  mergeRequestId: number,
  { base, head }: { base: string; head: string },
): Promise<boolean> {
  const found = await db
    .selectFrom('merge_request_versions')
    .select('id')
    .where('merge_request_id', '=', mergeRequestId)
    .where('head_sha', '=', head)
    .where('base_sha', '=', base)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function isCommitOf(db: Queryable, mergeRequestId: number, sha: string): Promise<boolean> {
  const found = await db
    .selectFrom('merge_request_commits')
    .select('sha')
    .where('sha', '=', sha)
    .where('merge_request_id', '=', mergeRequestId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
