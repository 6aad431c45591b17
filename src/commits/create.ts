import type { Core, Room } from '../core/core.ts';
import { type CommitAction, createCommit } from '../core/repository/create-commit.ts';
import { findStartProject } from '../core/repository/start-project.ts';
import { optional, param, params, withDefault } from '../platform/http/params.ts';
import { isHash } from '../platform/http/rack.ts';
import type { Static } from '../platform/http/schema.ts';
import { CommitDetail, type CommitDetails } from './detail.ts';
import { commitPath } from './find.ts';

const ACTIONS = ['create', 'update', 'move', 'delete', 'chmod'] as const;

const actionParams = params({
  action: param.oneOf(ACTIONS, { blank: false }),
  file_path: param.string({ description: 'Full path of the file.' }),
  previous_path: optional(param.string({ description: 'Where the file is now; for `move`.' })),
  content: optional(param.string({ binary: true, description: 'For `create`, `update` and `move`.' })),
  encoding: withDefault(param.oneOf(['text', 'base64']), 'text'),
  last_commit_id: optional(
    param.string({ description: 'Refuse if the file has changed after this commit.' }),
  ),
  execute_filemode: optional(param.boolean({ description: 'For `chmod` and `create`.' })),
});

const createParams = params(
  {
    id: commitPath.id,
    branch: param.string({ blank: false, description: 'The branch that gets the commit.' }),
    commit_message: param.string(),
    actions: param.list(actionParams, { description: 'Applied in this order, all or none.' }),
    start_branch: optional(param.string({ description: 'Make `branch` from this one.' })),
    start_sha: optional(param.string({ description: 'Make `branch` from this commit (full id).' })),
    start_project: optional(
      param.string({ description: 'Number or path of a project of the same fork network to start from.' }),
    ),
    author_email: optional(param.string()),
    author_name: optional(param.string()),
    stats: withDefault(param.boolean({ description: 'Count the lines added and removed.' }), true),
    force: withDefault(param.boolean({ description: 'Move `branch` even if it exists elsewhere.' }), false),
  },
  { mutuallyExclusive: [['start_branch', 'start_sha']] },
);

/** Files come inside the JSON: 64 MiB is some 48 MiB of binary files in base64. */
const BODY_LIMIT = 64 * 1024 * 1024;

/** `POST /projects/:id/repository/commits` */
export function createRoute(room: Room, core: Core, details: CommitDetails): void {
  room.post('/projects/:id/repository/commits', {
    summary: 'Create a commit of several file changes',
    params: createParams,
    responses: { 201: CommitDetail },
    bodyLimit: BODY_LIMIT,
    guard: core.guards.repository(),
    check: missingByAction,
    async handler(call) {
      const { caller, guarded, params: asked, baseUrl, signal } = call;
      const { project } = guarded;
      const reference = asked.start_project;
      const oid = await createCommit(core, {
        caller,
        ...guarded,
        branch: asked.branch,
        startBranch: asked.start_branch,
        startSha: asked.start_sha,
        startProject: reference ? await findStartProject(core, { caller, project, reference }) : null,
        force: asked.force,
        actions: asked.actions.map(actionOf),
        message: asked.commit_message,
        author: { name: asked.author_name, email: asked.author_email },
        signal,
      });
      const found = { repo: core.repositoryOf(project), oid };
      return details.show(found, { guarded, baseUrl, withStats: asked.stats }, { signal });
    },
  });
}

const actionOf = (asked: Static<typeof actionParams>): CommitAction => ({
  action: asked.action,
  filePath: asked.file_path,
  previousPath: asked.previous_path,
  content: asked.content,
  encoding: asked.encoding,
  lastCommitId: asked.last_commit_id,
  executeFilemode: asked.execute_filemode,
});

/** What one kind of action cannot do without. */
const NEEDED: Record<string, string> = {
  move: 'previous_path',
  update: 'content',
  chmod: 'execute_filemode',
};

function missingByAction({ actions }: Record<string, unknown>): string[] {
  const list = Array.isArray(actions) ? actions : isHash(actions) ? Object.values(actions) : [];
  return list.flatMap((action: unknown, index) => {
    const needed = isHash(action) ? NEEDED[String(action['action'])] : undefined;
    return needed && !(needed in (action as object)) ? [`actions[${index}][${needed}] is missing`] : [];
  });
}
