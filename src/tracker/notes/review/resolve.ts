import { projectStream } from '../../../core/events.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import type { NoteRow } from '../../tables.ts';
import type { NumberedNoteable } from '../noteable.ts';
import type { NoteDeps } from '../notes.ts';
import { unresolvedThreads } from '../store.ts';
import { systemNote } from '../system-note.ts';
import { markResolved, resolvableIds } from './resolve-store.ts';

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
  return deps.database.transaction((tx) => resolveThreadIn(tx, deps, first, resolution));
}

/** The same within a transaction of the caller's. */
export async function resolveThreadIn(
  tx: Tx,
  deps: NoteDeps,
  first: NoteRow,
  resolution: Resolution,
): Promise<void> {
  await mark(tx, deps, await resolvableIds(tx, first), resolution);
}

/** The same for one note of a thread: the thread is resolved when all of its notes are. */
export function resolveNote(deps: NoteDeps, note: NoteRow, resolution: Resolution): Promise<void> {
  return deps.database.transaction((tx) => mark(tx, deps, [note.id], resolution));
}

async function mark(
  tx: Tx,
  deps: NoteDeps,
  ids: readonly number[],
  { noteable, resolved, userId }: Resolution,
): Promise<void> {
  const by = resolved ? { userId, now: deps.clock.now() } : null;
  const changed = await markResolved(tx, ids, by);
  if (!resolved || changed === 0 || (await unresolvedThreads(tx, [noteable.id])).has(noteable.id)) return;
  await systemNote(tx, deps, { noteable, authorId: userId, body: 'resolved all threads' });
  const { projectId, id: mergeRequestId, iid } = noteable;
  await deps.events.publish(tx, {
    type: 'merge_request.threads_resolved',
    stream: projectStream(projectId),
    payload: { projectId, mergeRequestId, iid: iid ?? 0, userId },
  });
}
