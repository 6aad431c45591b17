import type { Caller } from '../core/caller.ts';
import type { Core, Room } from '../core/core.ts';
import type { InProject } from '../core/guards.ts';
import { fail } from '../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../platform/http/pagination.ts';
import { optional, param, params } from '../platform/http/params.ts';
import { demandUnmodified } from '../platform/http/precondition.ts';
import { Type } from '../platform/http/schema.ts';
import { findDiscussion, listDiscussions } from '../tracker/notes/discussions.ts';
import { Discussion, Note } from '../tracker/notes/entities.ts';
import { createNote, deleteNote, replyToThread, updateNote } from '../tracker/notes/notes.ts';
import { positionParams } from '../tracker/notes/positions/place-in-diff.ts';
import { demandOwn } from '../tracker/notes/rights.ts';
import { showNote, showThread, showThreads } from '../tracker/notes/show.ts';
import type { NoteRow } from '../tracker/tables.ts';
import { commitPath, findCommit } from './find.ts';
import { readsPages } from './guards.ts';
import { threadPosition } from './positions.ts';

const THREADS = '/projects/:id/repository/commits/:sha/discussions';
const THREAD = `${THREADS}/:discussion_id`;
const NOTES = `${THREAD}/notes`;
const NOTE = `${NOTES}/:note_id`;

const threadPath = { ...commitPath, discussion_id: param.string() };
const notePath = { ...threadPath, note_id: param.integer() };
const body = param.string({ description: 'The text, in Markdown.' });

/** The notes on a commit as threads. */
export function discussionRoutes(room: Room, core: Core): void {
  threadRoutes(room, core);
  noteRoutes(room, core);
}

function threadRoutes(room: Room, core: Core): void {
  room.get(THREADS, {
    summary: 'List the threads on a commit',
    params: params({ ...commitPath, ...pageParams }),
    responses: { 200: Type.Array(Discussion) },
    guard: readsPages(core),
    async handler(call) {
      const page = pageOf(call.params);
      const slice = { limit: page.perPage, offset: page.offset };
      const noteable = noteableOf(call, (await findCommit(core, call.guarded.project, call)).oid);
      const { discussions, total } = await listDiscussions(core.db, noteable, slice);
      return pageAnswer(call, page, await showThreads(core, call.baseUrl, discussions), { total });
    },
  });
  room.get(THREAD, {
    summary: 'Show a thread on a commit',
    params: params(threadPath),
    responses: { 200: Discussion },
    guard: core.guards.repository(),
    async handler(call) {
      const { thread } = await findThread(core, call);
      return showThread(core, call.baseUrl, thread);
    },
  });
  room.post(THREADS, {
    summary: 'Begin a thread on a commit, or on a line of its diff',
    params: params({ ...commitPath, body, position: optional(param.hash(positionParams)) }),
    responses: { 201: Discussion },
    guard: core.guards.repository('comment_on_commit'),
    async handler(call) {
      const found = await findCommit(core, call.guarded.project, call);
      const { position: asked, body } = call.params;
      const position = asked ? await threadPosition(found, asked, call.signal) : null;
      const authorId = call.caller.user.id;
      const noteable = noteableOf(call, found.oid);
      const note = await createNote(core, { noteable, authorId, body, kind: 'thread', position });
      return showThread(core, call.baseUrl, { id: note.discussion_id, notes: [note] });
    },
  });
}

function noteRoutes(room: Room, core: Core): void {
  const writes = core.guards.repository('comment_on_commit');
  room.post(NOTES, {
    summary: 'Answer a thread on a commit',
    params: params({ ...threadPath, body }),
    responses: { 201: Note },
    guard: writes,
    async handler(call) {
      const { noteable, thread } = await findThread(core, call);
      const [first] = thread.notes;
      if (!first) throw fail.notFound('Discussion');
      const answer = { noteable, authorId: call.caller.user.id, body: call.params.body };
      return showNote(core, call.baseUrl, await replyToThread(core, first, answer));
    },
  });
  room.get(NOTE, {
    summary: 'Show a note of a thread on a commit',
    params: params(notePath),
    responses: { 200: Note },
    guard: core.guards.repository(),
    handler: async (call) => showNote(core, call.baseUrl, await findThreadNote(core, call)),
  });
  room.put(NOTE, {
    summary: 'Change the text of a note on a commit',
    params: params({ ...notePath, body }),
    responses: { 200: Note },
    guard: writes,
    async handler(call) {
      const note = await findOwnNote(core, call);
      const change = { body: call.params.body, userId: call.caller.user.id };
      return showNote(core, call.baseUrl, await updateNote(core, note, change));
    },
  });
  room.delete(NOTE, {
    summary: 'Delete a note on a commit',
    params: params(notePath),
    responses: { 204: null },
    guard: writes,
    handler: async (call) => {
      const note = await findOwnNote(core, call);
      demandUnmodified(call.headers, note.updated_at);
      await deleteNote(core, note, call.caller.user.id);
    },
  });
}

interface CommitCall {
  caller: Caller;
  guarded: InProject;
  params: { sha: string };
  baseUrl: string;
  signal: AbortSignal;
}
type ThreadCall = CommitCall & { params: { discussion_id: string } };
type NoteCall = ThreadCall & { params: { note_id: number } };

const noteableOf = ({ guarded }: Pick<CommitCall, 'guarded'>, oid: string) =>
  ({ projectId: guarded.project.id, type: 'Commit', commitId: oid }) as const;

async function findThread(core: Core, call: ThreadCall) {
  const { oid } = await findCommit(core, call.guarded.project, call);
  const noteable = noteableOf(call, oid);
  const thread = await findDiscussion(core.db, noteable, call.params.discussion_id);
  if (thread === null) throw fail.notFound('Discussion');
  return { noteable, thread };
}

async function findThreadNote(core: Core, call: NoteCall): Promise<NoteRow> {
  const { thread } = await findThread(core, call);
  const note = thread.notes.find(({ id }) => id === call.params.note_id);
  if (!note) throw fail.notFound('Note');
  return note;
}

async function findOwnNote(core: Core, call: NoteCall): Promise<NoteRow> {
  const note = await findThreadNote(core, call);
  demandOwn(note, { caller: call.caller, access: call.guarded.access });
  return note;
}
