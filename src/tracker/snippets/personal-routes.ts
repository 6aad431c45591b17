import type { Core, Room } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import {
  agentDetail,
  answerFile,
  answerList,
  answerRaw,
  filePath,
  listAnswers,
  originOf,
} from './answers.ts';
import { SnippetEntity, UserAgentDetail } from './entities.ts';
import { findOwn, findReadable } from './find.ts';
import {
  BODY_LIMIT,
  changedFields,
  changedRules,
  changesIn,
  createdBetween,
  filesIn,
  missingName,
  newFields,
  newRules,
  visibility,
} from './params.ts';
import { presentSnippet } from './present.ts';
import { mayCreatePersonal } from './rights.ts';
import { visiblePersonalSnippet, visibleSnippet } from './visible-store.ts';
import { changeSnippet, createSnippet, deleteSnippet } from './write.ts';

const path = { id: param.integer({ description: 'Number of the snippet.' }) };
const listed = { ...createdBetween, ...pageParams };

/** Lists over `/snippets`: the fixed names before `:id`. */
export function snippetListRoutes(room: Room, core: Core): void {
  room.get('/snippets', {
    summary: "The caller's own snippets, personal and in projects",
    params: params(listed),
    responses: listAnswers,
    handler: (call) => {
      const visible = visibleSnippet(core.access.viewer(call.caller));
      return answerList(core, call, { visible, authorId: call.caller.user.id });
    },
  });

  room.get('/snippets/public', {
    summary: 'Personal snippets that everybody may read',
    params: params(listed),
    responses: listAnswers,
    handler: (call) => {
      const visible = visiblePersonalSnippet(core.access.viewer(call.caller));
      return answerList(core, call, { visible, publicOnly: true });
    },
  });

  room.get('/snippets/all', {
    summary: 'Every snippet that the caller may read',
    params: params({
      ...listed,
      repository_storage: optional(param.string({ description: 'Accepted, without effect: there is one.' })),
    }),
    responses: listAnswers,
    handler: (call) => answerList(core, call, { visible: visibleSnippet(core.access.viewer(call.caller)) }),
  });
}

/** One snippet of `/snippets/:id`, personal or of a project. */
export function snippetReadRoutes(room: Room, core: Core): void {
  room.get('/snippets/:id', {
    summary: 'A snippet',
    params: params(path),
    responses: { 200: SnippetEntity },
    handler: async ({ caller, params: { id }, baseUrl }) =>
      presentSnippet(core.db, await findReadable(core, caller, id), baseUrl),
  });

  room.get('/snippets/:id/raw', {
    summary: 'The text of a snippet: its first file',
    params: params(path),
    responses: { 200: null },
    handler: async ({ caller, params: { id } }) => answerRaw(core, await findReadable(core, caller, id)),
  });

  room.get('/snippets/:id/files/:ref/:file_path/raw', {
    summary: 'The text of one of its files',
    params: params({ ...path, ...filePath }),
    responses: { 200: null },
    handler: async ({ caller, params: asked }) =>
      answerFile(core, await findReadable(core, caller, asked.id), asked),
  });

  room.get('/snippets/:id/user_agent_detail', {
    summary: 'Where a snippet was made, for administrators',
    params: params(path),
    responses: { 200: UserAgentDetail },
    guard: core.guards.admin,
    handler: async ({ caller, params: { id } }) => agentDetail(await findReadable(core, caller, id)),
  });
}

export function snippetWriteRoutes(room: Room, core: Core): void {
  room.post('/snippets', {
    summary: 'Make a personal snippet',
    params: params({ ...newFields, visibility: withDefault(visibility, 'internal') }, newRules),
    responses: { 201: SnippetEntity },
    bodyLimit: BODY_LIMIT,
    guard: ({ caller }) => {
      if (!mayCreatePersonal(caller)) throw fail.forbidden();
    },
    check: missingName,
    handler: async (call) => {
      const { caller, params: asked, baseUrl } = call;
      const author = { authorId: caller.user.id, projectId: null };
      const input = { ...asked, ...author, files: filesIn(asked), ...originOf(call) };
      return presentSnippet(core.db, await createSnippet(core, input), baseUrl);
    },
  });

  room.put('/snippets/:id', {
    summary: "Change one of the caller's own snippets",
    params: params({ ...path, ...changedFields }, changedRules),
    responses: { 200: SnippetEntity },
    bodyLimit: BODY_LIMIT,
    handler: async ({ caller, params: asked, baseUrl }) => {
      const { id } = await findOwn(core, caller, asked.id);
      return presentSnippet(core.db, await changeSnippet(core, id, changesIn(asked)), baseUrl);
    },
  });

  room.delete('/snippets/:id', {
    summary: "Delete one of the caller's own snippets",
    params: params(path),
    responses: { 204: null },
    handler: async ({ caller, params: { id }, headers }) => {
      const snippet = await findOwn(core, caller, id);
      demandUnmodified(headers, snippet.updated_at);
      await deleteSnippet(core, snippet.id);
    },
  });
}
