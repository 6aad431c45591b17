import { isoTime, isoTimeOrNull, presentUserBasic, UserBasic } from '../../core/entities.ts';
import type { User } from '../../core/tables.ts';
import { presentAuthor } from '../../core/users/ghost.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { NoteRow } from '../tables.ts';
import type { Discussion as Thread } from './discussions.ts';
import { NotePosition } from './positions/position.ts';

export const Note = Type.Object(
  {
    id: Type.Integer(),
    type: nullable(Type.String()),
    body: Type.String(),
    /** A file beside the text, which only notes of very old GitLab had. */
    attachment: Type.Null(),
    author: UserBasic,
    created_at: timestamp(),
    updated_at: timestamp(),
    system: Type.Boolean(),
    noteable_id: nullable(Type.Integer()),
    noteable_type: Type.String(),
    project_id: Type.Integer(),
    commit_id: Type.Optional(nullable(Type.String())),
    position: Type.Optional(NotePosition),
    resolvable: Type.Boolean(),
    resolved: Type.Optional(Type.Boolean()),
    resolved_by: Type.Optional(nullable(UserBasic)),
    resolved_at: Type.Optional(nullable(timestamp())),
    confidential: Type.Boolean(),
    internal: Type.Boolean(),
    imported: Type.Boolean(),
    imported_from: Type.String(),
    noteable_iid: nullable(Type.Integer()),
    commands_changes: Type.Object({}),
  },
  { $id: 'Note' },
);

export const Discussion = Type.Object(
  { id: Type.String(), individual_note: Type.Boolean(), notes: Type.Array(Note) },
  { $id: 'Discussion' },
);

export type NotePeople = ReadonlyMap<number, User>;

/** Everybody whom these notes show. */
export function loadNotePeople(db: Queryable, notes: readonly NoteRow[]): Promise<NotePeople> {
  return findUsersByIds(
    db,
    notes.flatMap((note) => [note.author_id ?? [], note.resolved_by_id ?? []].flat()),
  );
}

interface Presented {
  people: NotePeople;
  baseUrl: string;
}

/** Only threads on merge requests can be resolved; the keys about it, and the position, are there where they mean something. */
export function presentNote(note: NoteRow, { people, baseUrl }: Presented): Static<typeof Note> {
  const user = (id: number | null) => {
    const found = id === null ? undefined : people.get(id);
    return found ? presentUserBasic(found, baseUrl) : null;
  };
  const resolvable = isResolvable(note);
  return {
    id: note.id,
    type: note.type,
    body: note.body,
    attachment: null,
    author: presentAuthor(people.get(note.author_id ?? 0), baseUrl),
    created_at: isoTime(note.created_at),
    updated_at: isoTime(note.updated_at),
    system: note.system === 1,
    noteable_id: note.noteable_id,
    noteable_type: note.noteable_type,
    project_id: note.project_id,
    ...((note.commit_id !== null || note.position !== null) && { commit_id: note.commit_id }),
    ...(note.position !== null && { position: JSON.parse(note.position) as NotePosition }),
    resolvable,
    ...(resolvable && {
      resolved: note.resolved_at !== null,
      resolved_by: user(note.resolved_by_id),
      resolved_at: isoTimeOrNull(note.resolved_at),
    }),
    confidential: note.internal === 1,
    internal: note.internal === 1,
    imported: false,
    imported_from: 'none',
    noteable_iid: note.noteable_iid,
    commands_changes: {},
  };
}

export const isResolvable = (note: Pick<NoteRow, 'noteable_type' | 'type' | 'system'>): boolean =>
  note.noteable_type === 'MergeRequest' && note.type !== null && note.system === 0;

export function presentDiscussion({ id, notes }: Thread, presented: Presented): Static<typeof Discussion> {
  return {
    id,
    individual_note: notes[0]?.type === null,
    notes: notes.map((note) => presentNote(note, presented)),
  };
}
