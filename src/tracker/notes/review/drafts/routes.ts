import type { Caller } from '../../../../core/caller.ts';
import type { Core, CoreApi, Room } from '../../../../core/core.ts';
import { fail } from '../../../../platform/errors.ts';
import { noContent } from '../../../../platform/http/answer.ts';
import { pageAnswer, pageOf, pageParams } from '../../../../platform/http/pagination.ts';
import { optional, param, params } from '../../../../platform/http/params.ts';
import { demandUnmodified } from '../../../../platform/http/precondition.ts';
import { Type } from '../../../../platform/http/schema.ts';
import { findDiscussion } from '../../discussions.ts';
import { checkBody } from '../../notes.ts';
import { demandCommitOf, mergeRequestPosition } from '../../positions/merge-request-position.ts';
import { type AskedPosition, positionParams } from '../../positions/place-in-diff.ts';
import { demandMayResolve, demandMayTalk, mayResolve, readableNotes } from '../../rights.ts';
import { type MergeRequestTarget, mergeRequests, type TargetCall } from '../../targets.ts';
import { DraftNote, presentDraft } from './entity.ts';
import { publishDrafts } from './publish.ts';
import {
  countDrafts,
  type Desk,
  findDraft,
  insertDraft,
  listDrafts,
  takeDrafts,
  updateDraft,
} from './store.ts';
import type { DraftNoteRow } from './tables.ts';

const { params: path } = mergeRequests;
const DRAFTS = `${mergeRequests.path}/draft_notes`;
const DRAFT = `${DRAFTS}/:draft_note_id`;
const draftPath = { ...path, draft_note_id: param.integer() };
const position = optional(param.hash(positionParams));

/** Notes on a merge request that are published later, together: a review. */
export function draftRoutes(api: CoreApi, core: Core): void {
  const room = api.room('notes');
  readRoutes(room, core);
  createRoute(room, core);
  changeRoutes(room, core);
  publishRoutes(room, core);
}

function readRoutes(room: Room, core: Core): void {
  const guard = core.guards.project(mergeRequests.reads);

  room.get(DRAFTS, {
    summary: 'List your drafts on a merge request',
    params: params({ ...path, ...pageParams }),
    responses: { 200: Type.Array(DraftNote) },
    guard,
    async handler(call) {
      const desk = deskOf(call.caller, await mergeRequests.find(core, call));
      const page = pageOf(call.params);
      const rows = await listDrafts(core.db, desk, { limit: page.perPage, offset: page.offset });
      return pageAnswer(call, page, rows.map(presentDraft), { total: await countDrafts(core.db, desk) });
    },
  });

  room.get(DRAFT, {
    summary: 'Read a draft of yours',
    params: params(draftPath),
    responses: { 200: DraftNote },
    guard,
    handler: async (call) => presentDraft((await findOwn(core, call)).draft),
  });
}

function createRoute(room: Room, core: Core): void {
  room.post(DRAFTS, {
    summary: 'Draft a note on a merge request',
    params: params({
      ...path,
      note: param.string({ description: 'The text, in Markdown.' }),
      in_reply_to_discussion_id: optional(param.string({ description: 'The thread that it answers.' })),
      resolve_discussion: optional(param.boolean({ description: 'Publishing it resolves the thread.' })),
      commit_id: optional(param.string({ description: 'The commit of the merge request that it is about.' })),
      position,
    }),
    responses: { 201: DraftNote },
    guard: core.guards.project(mergeRequests.reads),
    async handler(call) {
      const { caller, params: asked, signal } = call;
      const target = await mergeRequests.find(core, call);
      demandMayTalk(target);
      checkBody(asked.note);
      await demandRoom(core, deskOf(caller, target));
      const discussionId = asked.in_reply_to_discussion_id || null;
      if (discussionId !== null) await demandThread(core, target, discussionId);
      if (asked.resolve_discussion) demandMayResolve(target, caller);
      const commitId = asked.commit_id ? await demandCommitOf(core, target, asked.commit_id) : null;
      const placed = await placeOf(core, target, asked.position, signal);
      const now = core.clock.now();
      const draft = await core.database.transaction((tx) =>
        insertDraft(tx, {
          merge_request_id: target.row.id,
          author_id: caller.user.id,
          discussion_id: discussionId,
          resolve_discussion: asked.resolve_discussion ? 1 : 0,
          note: asked.note,
          commit_id: commitId,
          ...placed,
          created_at: now,
          updated_at: now,
        }),
      );
      return presentDraft(draft);
    },
  });
}

function changeRoutes(room: Room, core: Core): void {
  const guard = core.guards.project(mergeRequests.reads);

  room.put(DRAFT, {
    summary: 'Change a draft of yours',
    params: params({ ...draftPath, note: optional(param.string({ blank: false })), position }),
    responses: { 200: DraftNote },
    guard,
    async handler(call) {
      const { params: asked, signal } = call;
      const { target, draft } = await findOwn(core, call);
      demandMayTalk(target);
      if (asked.note != null) checkBody(asked.note);
      const placed = asked.position ? await placeOf(core, target, asked.position, signal) : {};
      const changes = { note: asked.note ?? draft.note, ...placed, updated_at: core.clock.now() };
      const changed = await core.database.transaction((tx) => updateDraft(tx, draft.id, changes));
      if (!changed) throw fail.recordNotFound();
      return presentDraft(changed);
    },
  });

  room.delete(DRAFT, {
    summary: 'Throw a draft of yours away',
    params: params(draftPath),
    responses: { 204: null },
    guard,
    async handler(call) {
      const { target, draft } = await findOwn(core, call);
      demandUnmodified(call.headers, draft.updated_at);
      await core.database.transaction((tx) => takeDrafts(tx, deskOf(call.caller, target), draft.id));
    },
  });
}

function publishRoutes(room: Room, core: Core): void {
  const guard = core.guards.project(mergeRequests.reads);

  room.put(`${DRAFT}/publish`, {
    summary: 'Publish a draft of yours',
    params: params(draftPath),
    responses: { 204: null },
    guard,
    async handler(call) {
      const { target, draft } = await findOwn(core, call);
      if ((await publish(core, call.caller, target, draft.id)) === 0) throw fail.recordNotFound();
      return noContent();
    },
  });

  room.post(`${DRAFTS}/bulk_publish`, {
    summary: 'Publish all your drafts on a merge request',
    params: params({ ...path }),
    responses: { 204: null },
    guard,
    async handler(call) {
      await publish(core, call.caller, await mergeRequests.find(core, call));
      return noContent();
    },
  });
}

function publish(core: Core, caller: Caller, target: MergeRequestTarget, id?: number): Promise<number> {
  demandMayTalk(target);
  const publication = {
    noteable: target.noteable,
    authorId: caller.user.id,
    readable: readableNotes(target.access),
    mayResolve: mayResolve(target, caller),
  };
  return publishDrafts(core, publication, id);
}

const deskOf = ({ user }: Caller, { row }: MergeRequestTarget): Desk => ({
  mergeRequestId: row.id,
  authorId: user.id,
});

async function findOwn(
  core: Core,
  call: TargetCall & { params: { draft_note_id: number } },
): Promise<{ target: MergeRequestTarget; draft: DraftNoteRow }> {
  const target = await mergeRequests.find(core, call);
  const draft = await findDraft(core.db, deskOf(call.caller, target), call.params.draft_note_id);
  if (!draft) throw fail.recordNotFound();
  return { target, draft };
}

/** They are published in one transaction, which keeps other writers waiting. */
const MAX_DRAFTS = 500;

async function demandRoom(core: Core, desk: Desk): Promise<void> {
  if ((await countDrafts(core.db, desk)) < MAX_DRAFTS) return;
  throw fail.refused(`There are ${MAX_DRAFTS} drafts already: publish or delete some first`);
}

async function demandThread(core: Core, { noteable, access }: MergeRequestTarget, id: string) {
  const thread = await findDiscussion(core.db, noteable, id, readableNotes(access));
  if (!thread || thread.notes[0]?.system === 1) throw fail.refused('Thread to reply to cannot be found');
}

async function placeOf(
  core: Core,
  target: MergeRequestTarget,
  asked: AskedPosition | null | undefined,
  signal: AbortSignal,
) {
  if (!asked) return { position: null, line_code: null };
  target.access.demand('read_code');
  const { position, lineCode } = await mergeRequestPosition(core, target, asked, signal);
  return { position: JSON.stringify(position), line_code: lineCode };
}
