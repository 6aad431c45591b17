import type { Core, Room } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import type { NoteRow } from '../tables.ts';
import { findDiscussion, listDiscussions, type Discussion as Thread } from './discussions.ts';
import { Discussion, Note } from './entities.ts';
import { newNoteParams } from './note-routes.ts';
import { createNote, deleteNote, replyToThread, updateNote } from './notes.ts';
import { demandMayTalk, demandOwn, readableNotes, saidToBeOf } from './rights.ts';
import { showNote, showThread, showThreads } from './show.ts';
import type { Target, TargetCall, TargetKind } from './targets.ts';

export const threadParams = { discussion_id: param.string() };
export const threadNoteParams = { ...threadParams, note_id: param.integer() };

/** The notes on things of one kind as threads: what is the same for all kinds. */
export function discussionRoutes(room: Room, core: Core, kind: TargetKind): void {
  readRoutes(room, core, kind);
  answerRoutes(room, core, kind);
}

function readRoutes(room: Room, core: Core, kind: TargetKind): void {
  const guard = core.guards.project(kind.reads);

  room.get(`${kind.path}/discussions`, {
    summary: `List the threads on ${kind.noun}, in the order in which they began`,
    params: params({ ...kind.params, ...pageParams }),
    responses: { 200: Type.Array(Discussion) },
    guard,
    async handler(call) {
      const { noteable, access } = await kind.find(core, call);
      const page = pageOf(call.params);
      const slice = { limit: page.perPage, offset: page.offset };
      const { discussions, total } = await listDiscussions(core.db, noteable, slice, readableNotes(access));
      return pageAnswer(call, page, await showThreads(core, call.baseUrl, discussions), { total });
    },
  });

  room.get(`${kind.path}/discussions/:discussion_id`, {
    summary: `Read a thread on ${kind.noun}`,
    params: params({ ...kind.params, ...threadParams }),
    responses: { 200: Discussion },
    guard,
    handler: async (call) => showThread(core, call.baseUrl, (await findThread(core, kind, call)).thread),
  });

  room.get(`${kind.path}/discussions/:discussion_id/notes/:note_id`, {
    summary: `Read a note of a thread on ${kind.noun}`,
    params: params({ ...kind.params, ...threadNoteParams }),
    responses: { 200: Note },
    guard,
    handler: async (call) => showNote(core, call.baseUrl, (await findThreadNote(core, kind, call)).note),
  });
}

function answerRoutes(room: Room, core: Core, kind: TargetKind): void {
  const guard = core.guards.project(kind.reads);

  room.post(`${kind.path}/discussions/:discussion_id/notes`, {
    summary: `Answer a thread on ${kind.noun}`,
    params: params({ ...kind.params, ...threadParams, ...newNoteParams }),
    responses: { 201: Note },
    guard,
    async handler(call) {
      const { target, thread } = await findThread(core, kind, call);
      demandMayTalk(target);
      const [first] = thread.notes;
      if (!first || first.system === 1) throw fail.badRequest('Discussion can not be replied to');
      const note = await replyToThread(core, first, {
        noteable: target.noteable,
        authorId: call.caller.user.id,
        body: call.params.body,
        createdAt: saidToBeOf(target.access, call.params.created_at),
      });
      return showNote(core, call.baseUrl, note);
    },
  });

  room.delete(`${kind.path}/discussions/:discussion_id/notes/:note_id`, {
    summary: `Delete a note of a thread on ${kind.noun}`,
    params: params({ ...kind.params, ...threadNoteParams }),
    responses: { 204: null },
    guard,
    async handler(call) {
      const { target, note } = await findThreadNote(core, kind, call);
      demandMayTalk(target);
      demandOwn(note, { caller: call.caller, access: target.access });
      demandUnmodified(call.headers, note.updated_at);
      await deleteNote(core, note, call.caller.user.id);
    },
  });
}

/** Beginning threads and changing their notes where there is no diff to stand in and nothing to resolve. */
export function plainThreadRoutes(room: Room, core: Core, kind: TargetKind): void {
  const guard = core.guards.project(kind.reads);

  room.post(`${kind.path}/discussions`, {
    summary: `Begin a thread on ${kind.noun}`,
    params: params({ ...kind.params, ...newNoteParams }),
    responses: { 201: Discussion },
    guard,
    async handler(call) {
      const target = await kind.find(core, call);
      demandMayTalk(target);
      const note = await createNote(core, {
        noteable: target.noteable,
        authorId: call.caller.user.id,
        body: call.params.body,
        kind: 'thread',
        createdAt: saidToBeOf(target.access, call.params.created_at),
      });
      return showThread(core, call.baseUrl, { id: note.discussion_id, notes: [note] });
    },
  });

  room.put(`${kind.path}/discussions/:discussion_id/notes/:note_id`, {
    summary: `Change the text of a note of a thread on ${kind.noun}`,
    params: params({ ...kind.params, ...threadNoteParams, body: newNoteParams.body }),
    responses: { 200: Note },
    guard,
    async handler(call) {
      const { target, note } = await findThreadNote(core, kind, call);
      demandMayTalk(target);
      demandOwn(note, { caller: call.caller, access: target.access });
      const change = { body: call.params.body, userId: call.caller.user.id };
      return showNote(core, call.baseUrl, await updateNote(core, note, change));
    },
  });
}

type ThreadCall = TargetCall & { params: { discussion_id: string } };

export async function findThread<T extends Target>(
  core: Core,
  kind: TargetKind<T>,
  call: ThreadCall,
): Promise<{ target: T; thread: Thread }> {
  const target = await kind.find(core, call);
  const { noteable, access } = target;
  const thread = await findDiscussion(core.db, noteable, call.params.discussion_id, readableNotes(access));
  if (!thread) throw fail.notFound('Discussion');
  return { target, thread };
}

export async function findThreadNote<T extends Target>(
  core: Core,
  kind: TargetKind<T>,
  call: ThreadCall & { params: { note_id: number } },
): Promise<{ target: T; note: NoteRow }> {
  const { target, thread } = await findThread(core, kind, call);
  const note = thread.notes.find(({ id }) => id === call.params.note_id);
  if (!note) throw fail.notFound('Note');
  return { target, note };
}
