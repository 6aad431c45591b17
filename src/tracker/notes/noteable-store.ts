import type { Tx } from '../../platform/db/tables.ts';
import type { NoteableType } from '../tables.ts';
import type { Noteable } from './noteable.ts';
import '../issues/tables.ts';
import '../snippets/tables.ts';

const TABLES = { MergeRequest: 'merge_requests', Issue: 'issues', Snippet: 'snippets' } as const;

/** What is commented on counts as changed. False when it is gone. Commits never change. */
export async function touchNoteable(tx: Tx, noteable: Noteable, now: number): Promise<boolean> {
  if (noteable.type === 'Commit') return true;
  const { numUpdatedRows } = await tx
    .updateTable(TABLES[noteable.type])
    .set({ updated_at: now })
    .where('id', '=', noteable.id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whoever deletes an issue, a merge request or a snippet calls this: what people wrote, felt and booked goes with it. */
export async function deleteCommentary(
  tx: Tx,
  type: Exclude<NoteableType, 'Commit'>,
  id: number,
): Promise<void> {
  await tx
    .deleteFrom('award_emoji')
    .where('awardable_type', '=', 'Note')
    .where('awardable_id', 'in', (eb) =>
      eb.selectFrom('notes').select('id').where('noteable_type', '=', type).where('noteable_id', '=', id),
    )
    .execute();
  await tx
    .deleteFrom('award_emoji')
    .where('awardable_type', '=', type)
    .where('awardable_id', '=', id)
    .execute();
  await tx.deleteFrom('notes').where('noteable_type', '=', type).where('noteable_id', '=', id).execute();
  if (type === 'Snippet') return;
  await tx.deleteFrom('timelogs').where('target_type', '=', type).where('target_id', '=', id).execute();
}
