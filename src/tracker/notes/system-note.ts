import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { NoteRow } from '../tables.ts';
import { type NumberedNoteable, noteableColumns } from './noteable.ts';
import { newDiscussionId } from './notes.ts';
import { insertNote } from './store.ts';

export interface SystemNote {
  noteable: NumberedNoteable;
  /** Who did it; null for a user who is gone, or for a push by nobody known. */
  authorId: number | null;
  /** As GitLab words it, the author left out: `closed`, `changed title from **a** to **b**`. */
  body: string;
}

/**
 * Writes down what somebody did, among the comments, in the transaction in which it was done. It tells no other room: the
 * deed has an event of its own.
 */
export function systemNote(
  tx: Tx,
  { clock }: { clock: Clock },
  { noteable, authorId, body }: SystemNote,
): Promise<NoteRow> {
  const now = clock.now();
  return insertNote(tx, {
    ...noteableColumns(noteable),
    author_id: authorId,
    type: null,
    discussion_id: newDiscussionId(),
    body,
    position: null,
    system: 1,
    created_at: now,
    updated_at: now,
  });
}
