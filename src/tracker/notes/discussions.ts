import type { Queryable } from '../../platform/db/tables.ts';
import type { NoteRow } from '../tables.ts';
import type { Noteable } from './noteable.ts';
import { countThreads, listThreadIds, type NoteFilter, notesOfThreads, type Slice } from './store.ts';

/** A thread, or a note that stands alone: notes oldest first, never none. */
export interface Discussion {
  id: string;
  notes: NoteRow[];
}

/** In the order in which they began. */
export async function listDiscussions(
  db: Queryable,
  noteable: Noteable,
  slice: Slice,
  filter?: NoteFilter,
): Promise<{ discussions: Discussion[]; total: number }> {
  const total = await countThreads(db, noteable, filter);
  const ids = await listThreadIds(db, noteable, slice, filter);
  const byId = new Map<string, NoteRow[]>(ids.map((id) => [id, []]));
  for (const note of await notesOfThreads(db, noteable, ids, filter))
    byId.get(note.discussion_id)?.push(note);
  return { discussions: [...byId].map(([id, notes]) => ({ id, notes })), total };
}

export async function findDiscussion(
  db: Queryable,
  noteable: Noteable,
  id: string,
  filter?: NoteFilter,
): Promise<Discussion | null> {
  const notes = await notesOfThreads(db, noteable, [id], filter);
  return notes.length > 0 ? { id, notes } : null;
}
