import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { MergeRequestRow, MergeRequestVersionRow } from '../../tables.ts';

/** What the row offers now becomes the newest version. A request without commits has none. */
export async function insertVersion(tx: Tx, row: MergeRequestRow, now: number): Promise<void> {
  if (row.sha === null || row.start_sha === null) return;
  await tx
    .insertInto('merge_request_versions')
    .values({
      merge_request_id: row.id,
      number: row.version,
      head_sha: row.sha,
      base_sha: row.base_sha,
      start_sha: row.start_sha,
      changes_count: row.changes_count,
      changes_overflow: row.changes_overflow,
      created_at: now,
    })
    .execute();
}

/** Newest first. */
export function listVersions(
  db: Queryable,
  mergeRequestId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<MergeRequestVersionRow[]> {
  return db
    .selectFrom('merge_request_versions')
    .selectAll()
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('number', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countVersions(db: Queryable, mergeRequestId: number): Promise<number> {
  const { count } = await db
    .selectFrom('merge_request_versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('merge_request_id', '=', mergeRequestId)
    .executeTakeFirstOrThrow();
  return count;
}

export function findVersion(
  db: Queryable,
  mergeRequestId: number,
  id: number,
): Promise<MergeRequestVersionRow | undefined> {
  return db
    .selectFrom('merge_request_versions')
    .selectAll()
    .where('merge_request_id', '=', mergeRequestId)
    .where('id', '=', id)
    .executeTakeFirst();
}
