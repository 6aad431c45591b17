import type { Core, Room } from '../../core/core.ts';
import { pageParams } from '../../platform/http/pagination.ts';
import { params, withDefault } from '../../platform/http/params.ts';
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
import { findInProject, findToChangeInProject, snippetPath } from './find.ts';
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
import { openInProject } from './visible-store.ts';
import { changeSnippet, createSnippet, deleteSnippet } from './write.ts';

const PATH = '/projects/:id/snippets/:snippet_id';

/** Reading `/projects/:id/snippets` */
export function projectSnippetReadRoutes(room: Room, core: Core): void {
  const guard = core.guards.project('read_snippet');

  room.get('/projects/:id/snippets', {
    summary: 'Snippets of a project',
    params: params({ id: snippetPath.id, ...createdBetween, ...pageParams }),
    responses: listAnswers,
    guard,
    handler: (call) => {
      const visible = openInProject(core.access.viewer(call.caller));
      return answerList(core, call, { visible, projectId: call.guarded.project.id });
    },
  });

  room.get(PATH, {
    summary: 'A snippet of a project',
    params: params(snippetPath),
    responses: { 200: SnippetEntity },
    guard,
    handler: async ({ caller, guarded, params: asked, baseUrl }) =>
      presentSnippet(core.db, await findInProject(core, caller, guarded, asked.snippet_id), baseUrl),
  });

  room.get(`${PATH}/raw`, {
    summary: 'The text of a snippet: its first file',
    params: params(snippetPath),
    responses: { 200: null },
    guard,
    handler: async ({ caller, guarded, params: asked }) =>
      answerRaw(core, await findInProject(core, caller, guarded, asked.snippet_id)),
  });

  room.get(`${PATH}/files/:ref/:file_path/raw`, {
    summary: 'The text of one of its files',
    params: params({ ...snippetPath, ...filePath }),
    responses: { 200: null },
    guard,
    handler: async ({ caller, guarded, params: asked }) =>
      answerFile(core, await findInProject(core, caller, guarded, asked.snippet_id), asked),
  });

  room.get(`${PATH}/user_agent_detail`, {
    summary: 'Where a snippet was made, for administrators',
    params: params(snippetPath),
    responses: { 200: UserAgentDetail },
    guard: (call) => {
      core.guards.admin(call);
      return guard(call);
    },
    handler: async ({ caller, guarded, params: asked }) =>
      agentDetail(await findInProject(core, caller, guarded, asked.snippet_id)),
  });
}

export function projectSnippetWriteRoutes(room: Room, core: Core): void {
  const guard = core.guards.project('read_snippet');

  room.post('/projects/:id/snippets', {
    summary: 'Make a snippet in a project',
    params: params(
      { id: snippetPath.id, ...newFields, visibility: withDefault(visibility, 'private') },
      newRules,
    ),
    responses: { 201: SnippetEntity },
    bodyLimit: BODY_LIMIT,
    guard: core.guards.project('create_snippet'),
    check: missingName,
    handler: async (call) => {
      const { caller, guarded, params: asked, baseUrl } = call;
      const author = { authorId: caller.user.id, projectId: guarded.project.id };
      const input = { ...asked, ...author, files: filesIn(asked), ...originOf(call) };
      return presentSnippet(core.db, await createSnippet(core, input), baseUrl);
    },
  });

  room.put(PATH, {
    summary: 'Change a snippet of a project',
    params: params({ ...snippetPath, ...changedFields }, changedRules),
    responses: { 200: SnippetEntity },
    bodyLimit: BODY_LIMIT,
    guard,
    handler: async ({ caller, guarded, params: asked, baseUrl }) => {
      const { id } = await findToChangeInProject(core, caller, guarded, asked.snippet_id);
      return presentSnippet(core.db, await changeSnippet(core, id, changesIn(asked)), baseUrl);
    },
  });

  room.delete(PATH, {
    summary: 'Delete a snippet of a project',
    params: params(snippetPath),
    responses: { 204: null },
    guard,
    handler: async ({ caller, guarded, params: asked, headers }) => {
      const snippet = await findToChangeInProject(core, caller, guarded, asked.snippet_id);
      demandUnmodified(headers, snippet.updated_at);
      await deleteSnippet(core, snippet.id);
    },
  });
}
