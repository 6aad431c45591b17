import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { NoteRow } from '../../tables.ts';

/** Threads of merge requests that are resolved or not: every note of one has its mark, and the thread is when all have. */

/** Marks notes, or takes the marks away. Those that are so already keep who and when. Answers how many changed. */
export async function markResolved(
  tx: Tx,
  ids: readonly number[],
  by: { userId: number; now: number } | null,
): Promise<number> {
  if (ids.length === 0) return 0;
  const { numUpdatedRows } = await tx
    .updateTable('notes')
    .set({ resolved_at: by?.now ?? null, resolved_by_id: by?.userId ?? null })
    .where('id', 'in', ids)
    .where('resolved_at', by === null ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Notes of a thread that can be resolved, as they are now: an answer may have come since the thread was read. */
export async function resolvableIds(
  db: Queryable,
  { noteable_id, discussion_id }: Pick<NoteRow, 'noteable_id' | 'discussion_id'>,
): Promise<number[]> {
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where('discussion_id', '=', discussion_id)
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', '=', noteable_id)
    .where('type', 'is not', null)
    .where('system', '=', 0)
    .execute();
  return rows.map(({ id }) => id);
}
