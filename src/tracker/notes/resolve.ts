import type { NoteRow } from '../tables.ts';
import type { NumberedNoteable } from './noteable.ts';
import type { NoteDeps } from './notes.ts';
import { markResolved, resolvableIds } from './resolve-store.ts';
import { unresolvedThreads } from './store.ts';
import { systemNote } from './system-note.ts';

export interface Resolution {
  noteable: NumberedNoteable;
  resolved: boolean;
  userId: number;
}

/**
 * Resolves a whole thread or opens it again, answers that came a moment ago included; `first` is any note of it. Of two who
 * resolve it at once, the first is shown. An answer to a resolved thread opens it again.
 */
export function resolveThread(deps: NoteDeps, first: NoteRow, resolution: Resolution): Promise<void> {
  return mark(deps, first, resolution, 'thread');
}

/** The same for one note of a thread: the thread is resolved when all of its notes are. */
export function resolveNote(deps: NoteDeps, note: NoteRow, resolution: Resolution): Promise<void> {
  return mark(deps, note, resolution, 'note');
}

function mark(
  deps: NoteDeps,
  note: NoteRow,
  { noteable, resolved, userId }: Resolution,
  what: 'thread' | 'note',
): Promise<void> {
  return deps.database.transaction(async (tx) => {
    const by = resolved ? { userId, now: deps.clock.now() } : null;
    const ids = what === 'thread' ? await resolvableIds(tx, note) : [note.id];
    const changed = await markResolved(tx, ids, by);
    if (!resolved || changed === 0 || (await unresolvedThreads(tx, [noteable.id])).has(noteable.id)) return;
    await systemNote(tx, deps, { noteable, authorId: userId, body: 'resolved all threads' });
  });
}
