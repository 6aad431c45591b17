import { fail } from '../../platform/errors.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Caller } from '../caller.ts';
import type { Core, Room } from '../core.ts';
import type { InProject } from '../guards.ts';
import { type CommitAction, createCommit } from './create-commit.ts';
import { filePath } from './files-routes.ts';
import { mayPushToBranch } from './push-rules.ts';

const ChangedFile = Type.Object({ file_path: Type.String(), branch: Type.String() }, { $id: 'ChangedFile' });

const committing = {
  ...filePath,
  branch: param.string({ blank: false }),
  commit_message: param.string({ blank: false }),
  start_branch: optional(param.string()),
  author_email: optional(param.string()),
  author_name: optional(param.string()),
};

const writing = {
  ...committing,
  content: param.string({ binary: true }),
  encoding: optional(param.oneOf(['text', 'base64'])),
  last_commit_id: optional(param.string()),
  execute_filemode: optional(param.boolean()),
};

interface Change {
  file_path: string;
  branch: string;
  commit_message: string;
  start_branch?: string | null | undefined;
  author_email?: string | null | undefined;
  author_name?: string | null | undefined;
}

/** As base64 in JSON, so that a file may have three quarters of it. */
const BODY_LIMIT = 32 * 1024 * 1024;

/** Writing `/projects/:id/repository/files`: each call is one commit. */
export function fileChangeRoutes(room: Room, core: Core): void {
  const path = '/projects/:id/repository/files/:file_path';
  const writes = core.guards.repository('push_code');

  room.post(path, {
    summary: 'Create a file',
    params: params(writing),
    responses: { 201: ChangedFile },
    bodyLimit: BODY_LIMIT,
    guard: writes,
    handler: async ({ caller, guarded, params, signal }) => {
      const { content, encoding, execute_filemode: executeFilemode } = params;
      const action = { filePath: params.file_path, content, encoding, executeFilemode };
      await commit(core, { caller, guarded, params, signal }, [{ action: 'create', ...action }]);
      return { file_path: params.file_path, branch: params.branch };
    },
  });

  room.put(path, {
    summary: 'Change a file',
    params: params(writing),
    responses: { 200: ChangedFile },
    bodyLimit: BODY_LIMIT,
    guard: writes,
    handler: async ({ caller, guarded, params, signal }) => {
      const { content, encoding, last_commit_id: lastCommitId, execute_filemode: mode } = params;
      const actions: CommitAction[] = [
        { action: 'update', filePath: params.file_path, content, encoding, lastCommitId },
      ];
      if (typeof mode === 'boolean') {
        actions.push({ action: 'chmod', filePath: params.file_path, executeFilemode: mode });
      }
      await commit(core, { caller, guarded, params, signal, staleText: STALE_UPDATE }, actions);
      return { file_path: params.file_path, branch: params.branch };
    },
  });

  room.delete(path, {
    summary: 'Delete a file',
    params: params({ ...committing, last_commit_id: optional(param.string()) }),
    responses: { 204: null },
    guard: writes,
    handler: async ({ caller, guarded, params, signal }) => {
      const { file_path: filePath, last_commit_id: lastCommitId } = params;
      const call = { caller, guarded, params, signal, staleText: STALE_DELETE };
      await commit(core, call, [{ action: 'delete', filePath, lastCommitId }]);
    },
  });
}

const STALE_UPDATE = 'You are attempting to update a file that has changed since you started editing it.';
const STALE_DELETE = 'You are attempting to delete a file that has been previously updated.';

interface ChangeCall {
  caller: Caller;
  guarded: InProject;
  params: Change;
  signal: AbortSignal;
  staleText?: string;
}

async function commit(core: Core, call: ChangeCall, actions: CommitAction[]): Promise<void> {
  const { caller, guarded, params, signal, staleText } = call;
  const { project, access } = guarded;
  // Elsewhere this is a 403; GitLab's file routes answer as their service does.
  if (!(await mayPushToBranch({ core, project, access }, params.branch))) {
    throw fail.refused('You are not allowed to push into this branch');
  }
  await createCommit(core, {
    caller,
    access,
    project,
    branch: params.branch,
    startBranch: params.start_branch,
    actions,
    message: params.commit_message,
    author: { name: params.author_name, email: params.author_email },
    staleText,
    signal,
  });
}
