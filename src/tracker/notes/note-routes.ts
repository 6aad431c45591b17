import type { Core, Room } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import type { NoteRow } from '../tables.ts';
import { Note } from './entities.ts';
import { createNote, deleteNote, updateNote } from './notes.ts';
import { demandMayTalk, demandOwn, readableNotes, saidToBeOf } from './rights.ts';
import { showNote, showNotes } from './show.ts';
import { countNotes, findNote, listNotes } from './store.ts';
import type { Target, TargetCall, TargetKind } from './targets.ts';

export const newNoteParams = {
  body: param.string({ description: 'The text, in Markdown.' }),
  created_at: optional(
    param.dateTime({ description: 'When it is said to be written; heeded for owners and administrators.' }),
  ),
};

const listParams = {
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
  order_by: withDefault(param.oneOf(['created_at', 'updated_at']), 'created_at'),
  activity_filter: withDefault(
    param.oneOf(['all_notes', 'only_comments', 'only_activity'], {
      description: 'What people wrote, what the service wrote about what they did, or both.',
    }),
    'all_notes',
  ),
};

const ONLY = { all_notes: undefined, only_comments: 'comments', only_activity: 'activity' } as const;

/** The notes on things of one kind, one by one. */
export function noteRoutes(room: Room, core: Core, kind: TargetKind): void {
  readRoutes(room, core, kind);
  writeRoutes(room, core, kind);
}

function readRoutes(room: Room, core: Core, kind: TargetKind): void {
  const guard = core.guards.project(kind.reads);

  room.get(`${kind.path}/notes`, {
    summary: `List the notes on ${kind.noun}`,
    params: params({ ...kind.params, ...listParams, ...pageParams }),
    responses: { 200: Type.Array(Note) },
    guard,
    async handler(call) {
      const { access, noteable } = await kind.find(core, call);
      const { order_by: by, sort: direction, activity_filter: activity } = call.params;
      const filter = { ...readableNotes(access), only: ONLY[activity] };
      const page = pageOf(call.params);
      const slice = { limit: page.perPage, offset: page.offset };
      const notes = await listNotes(core.db, noteable, slice, { filter, order: { by, direction } });
      const total = await countNotes(core.db, noteable, filter);
      return pageAnswer(call, page, await showNotes(core, call.baseUrl, notes), { total });
    },
  });

  room.get(`${kind.path}/notes/:note_id`, {
    summary: `Read a note on ${kind.noun}`,
    params: params({ ...kind.params, note_id: param.integer() }),
    responses: { 200: Note },
    guard,
    async handler(call) {
      const { note } = await findNoteOf(core, kind, call);
      return showNote(core, call.baseUrl, note);
    },
  });
}

function writeRoutes(room: Room, core: Core, kind: TargetKind): void {
  const guard = core.guards.project(kind.reads);
  const notePath = { ...kind.params, note_id: param.integer() };

  room.post(`${kind.path}/notes`, {
    summary: `Comment on ${kind.noun}`,
    params: params({
      ...kind.params,
      ...newNoteParams,
      internal: optional(param.boolean({ description: 'Only the team may read it; planners and up.' })),
      confidential: optional(param.boolean({ description: 'The former name of `internal`.' })),
    }),
    responses: { 201: Note },
    guard,
    async handler(call) {
      const { caller, params: asked, baseUrl } = call;
      const target = await kind.find(core, call);
      demandMayTalk(target);
      const internal = asked.internal ?? asked.confidential ?? false;
      if (internal) demandInternal(target);
      const note = await createNote(core, {
        noteable: target.noteable,
        authorId: caller.user.id,
        body: asked.body,
        kind: 'note',
        internal,
        createdAt: saidToBeOf(target.access, asked.created_at),
      });
      return showNote(core, baseUrl, note);
    },
  });

  room.put(`${kind.path}/notes/:note_id`, {
    summary: `Change the text of a note on ${kind.noun}`,
    params: params({ ...notePath, body: optional(param.string({ blank: false })) }),
    responses: { 200: Note },
    guard,
    async handler(call) {
      const note = await findOwnNote(core, kind, call);
      const body = call.params.body ?? note.body;
      const updated = await updateNote(core, note, { body, userId: call.caller.user.id });
      return showNote(core, call.baseUrl, updated);
    },
  });

  room.delete(`${kind.path}/notes/:note_id`, {
    summary: `Delete a note on ${kind.noun}`,
    params: params(notePath),
    responses: { 204: null },
    guard,
    async handler(call) {
      const note = await findOwnNote(core, kind, call);
      demandUnmodified(call.headers, note.updated_at);
      await deleteNote(core, note, call.caller.user.id);
    },
  });
}

/** Whoever reads a snippet may read all that is said about it. */
function demandInternal({ noteable, access }: Target): void {
  if (noteable.type === 'Snippet') {
    throw fail.badRequest('Note {confidential: ["can not be set for this type of note"]}');
  }
  access.demand('read_internal_note');
}

type NoteCall = TargetCall & { params: { note_id: number } };

/** The note of `:note_id`, and what it is on; 404 when the caller may not read it. */
export async function findNoteOf<T extends Target>(
  core: Core,
  kind: TargetKind<T>,
  call: NoteCall,
): Promise<{ target: T; note: NoteRow }> {
  const target = await kind.find(core, call);
  const note = await findNote(core.db, target.noteable, call.params.note_id, readableNotes(target.access));
  if (!note) throw fail.notFound('Note');
  return { target, note };
}

async function findOwnNote(core: Core, kind: TargetKind, call: NoteCall): Promise<NoteRow> {
  const { target, note } = await findNoteOf(core, kind, call);
  demandMayTalk(target);
  demandOwn(note, { caller: call.caller, access: target.access });
  return note;
}
