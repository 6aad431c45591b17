import type { Queryable } from '../../platform/db/tables.ts';
import { noteableOf } from '../notes/noteable.ts';
import { type NotePosition, placementOf } from '../notes/positions/position.ts';
import type { NoteRow } from '../tables.ts';
import { earlierNotes, findNoteById } from './store.ts';
import type { ThingRef } from './things.ts';

/** One note as notifications tell of it; null when it is gone. */
export async function noteFacts(db: Queryable, id: number) {
  const row = await findNoteById(db, id);
  if (!row) return null;
  return {
    id,
    about: aboutOf(row),
    authorId: row.author_id,
    text: row.body,
    internal: row.internal === 1,
    system: row.system === 1,
    discussionId: row.type === null ? null : row.discussion_id,
    earlierNoteIds: row.type === null ? [] : await earlierNotes(db, row),
    position: placeOf(row),
  };
}

function aboutOf(row: NoteRow): ThingRef {
  const noteable = noteableOf(row);
  if (noteable.type !== 'Commit') return { type: noteable.type, id: noteable.id };
  return { type: 'Commit', projectId: noteable.projectId, sha: noteable.commitId };
}

function placeOf({ position }: NoteRow): { path: string; line: number | null } | null {
  if (position === null) return null;
  const { path, line } = placementOf(JSON.parse(position) as NotePosition);
  return path === null ? null : { path, line };
}
