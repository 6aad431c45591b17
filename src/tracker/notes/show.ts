import type { Core } from '../../core/core.ts';
import type { NoteRow } from '../tables.ts';
import type { Discussion } from './discussions.ts';
import { loadNotePeople, presentDiscussion, presentNote } from './entities.ts';

/** Notes and threads as answers, with the people that they show. */

export async function showNotes(core: Pick<Core, 'db'>, baseUrl: string, notes: readonly NoteRow[]) {
  const people = await loadNotePeople(core.db, notes);
  return notes.map((note) => presentNote(note, { people, baseUrl }));
}

export async function showNote(core: Pick<Core, 'db'>, baseUrl: string, note: NoteRow) {
  return presentNote(note, { people: await loadNotePeople(core.db, [note]), baseUrl });
}

export async function showThreads(core: Pick<Core, 'db'>, baseUrl: string, threads: readonly Discussion[]) {
  const people = await loadNotePeople(
    core.db,
    threads.flatMap(({ notes }) => notes),
  );
  return threads.map((thread) => presentDiscussion(thread, { people, baseUrl }));
}

export async function showThread(core: Pick<Core, 'db'>, baseUrl: string, thread: Discussion) {
  const people = await loadNotePeople(core.db, thread.notes);
  return presentDiscussion(thread, { people, baseUrl });
}
