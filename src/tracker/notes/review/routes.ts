import type { Core, Room } from '../../../core/core.ts';
import { fail } from '../../../platform/errors.ts';
import { optional, param, params } from '../../../platform/http/params.ts';
import { findThread, findThreadNote, threadNoteParams, threadParams } from '../discussion-routes.ts';
import { findDiscussion } from '../discussions.ts';
import { Discussion, isResolvable, Note } from '../entities.ts';
import { newNoteParams } from '../note-routes.ts';
import { createNote, updateNote } from '../notes.ts';
import { demandCommitOf, mergeRequestPosition } from '../positions/merge-request-position.ts';
import { positionParams } from '../positions/place-in-diff.ts';
import { demandMayResolve, demandMayTalk, demandOwn, readableNotes, saidToBeOf } from '../rights.ts';
import { showNote, showThread } from '../show.ts';
import { findNote } from '../store.ts';
import { mergeRequests } from '../targets.ts';
import { resolveNote, resolveThread } from './resolve.ts';

const { path, params: mergeRequestPath } = mergeRequests;

/** What threads on merge requests have beside those on other things: a place in the diff, and an end. */
export function reviewRoutes(room: Room, core: Core): void {
  beginRoute(room, core);
  resolveRoute(room, core);
  changeRoute(room, core);
}

function beginRoute(room: Room, core: Core): void {
  room.post(`${path}/discussions`, {
    summary: 'Begin a thread on a merge request, or on a line of its diff',
    params: params({
      ...mergeRequestPath,
      ...newNoteParams,
      position: optional(param.hash(positionParams)),
      commit_id: optional(param.string({ description: 'The commit of the merge request that it is about.' })),
    }),
    responses: { 201: Discussion },
    guard: core.guards.project(mergeRequests.reads),
    async handler(call) {
      const { caller, params: asked, signal, baseUrl } = call;
      const target = await mergeRequests.find(core, call);
      demandMayTalk(target);
      if (asked.position) target.access.demand('read_code');
      const place = asked.position ? await mergeRequestPosition(core, target, asked.position, signal) : null;
      const note = await createNote(core, {
        noteable: target.noteable,
        authorId: caller.user.id,
        body: asked.body,
        kind: 'thread',
        position: place?.position ?? null,
        commitId: asked.commit_id ? await demandCommitOf(core, target, asked.commit_id) : null,
        createdAt: saidToBeOf(target.access, asked.created_at),
      });
      return showThread(core, baseUrl, { id: note.discussion_id, notes: [note] });
    },
  });
}

function resolveRoute(room: Room, core: Core): void {
  room.put(`${path}/discussions/:discussion_id`, {
    summary: 'Resolve a thread on a merge request, or open it again',
    params: params({ ...mergeRequestPath, ...threadParams, resolved: param.boolean() }),
    responses: { 200: Discussion },
    guard: core.guards.project(mergeRequests.reads),
    async handler(call) {
      const { caller, params: asked, baseUrl } = call;
      const { target, thread } = await findThread(core, mergeRequests, call);
      const { noteable, access } = target;
      const first = thread.notes.find(isResolvable);
      if (!first) throw fail.forbidden();
      demandMayResolve(target, caller);
      await resolveThread(core, first, { noteable, resolved: asked.resolved, userId: caller.user.id });
      const now = await findDiscussion(core.db, noteable, thread.id, readableNotes(access));
      return showThread(core, baseUrl, now ?? thread);
    },
  });
}

function changeRoute(room: Room, core: Core): void {
  room.put(`${path}/discussions/:discussion_id/notes/:note_id`, {
    summary: 'Change the text of a note of a thread on a merge request, or resolve the note',
    params: params(
      {
        ...mergeRequestPath,
        ...threadNoteParams,
        body: optional(param.string({ blank: false })),
        resolved: optional(param.boolean()),
      },
      { exactlyOneOf: [['body', 'resolved']] },
    ),
    responses: { 200: Note },
    guard: core.guards.project(mergeRequests.reads),
    async handler(call) {
      const { caller, params: asked, baseUrl } = call;
      const { target, note } = await findThreadNote(core, mergeRequests, call);
      const userId = caller.user.id;
      if (asked.body != null) {
        demandMayTalk(target);
        demandOwn(note, { caller, access: target.access });
        return showNote(core, baseUrl, await updateNote(core, note, { body: asked.body, userId }));
      }
      demandMayResolve(target, caller);
      if (!isResolvable(note)) throw fail.badRequest('Note is not resolvable');
      await resolveNote(core, note, { noteable: target.noteable, resolved: asked.resolved === true, userId });
      return showNote(core, baseUrl, (await findNote(core.db, target.noteable, note.id)) ?? note);
    },
  });
}
