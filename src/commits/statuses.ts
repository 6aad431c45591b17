import type { Core, Room } from '../core/core.ts';
import type { ProjectWithNamespace } from '../core/projects/find.ts';
import { branchRights, type RefRight } from '../core/repository/push-rules.ts';
import { findUsersByIds } from '../core/users/store.ts';
import { refsContaining } from '../git/ancestry.ts';
import { CommitStatus, presentCommitStatus } from '../jobs/entities.ts';
import { listStatuses, postStatus, type StatusRow } from '../jobs/statuses/statuses.ts';
import { POSTED_STATES } from '../jobs/statuses/transitions.ts';
import { fail } from '../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../platform/http/params.ts';
import { Type } from '../platform/http/schema.ts';
import { commitPath, findCommit } from './find.ts';
import { guardLate } from './guards.ts';

/** External systems and the project's own jobs tell here how a commit fared. */
export function statusRoutes(room: Room, core: Core): void {
  listRoute(room, core);
  postRoute(room, core);
}

function listRoute(room: Room, core: Core): void {
  const guard = core.guards.project('read_commit_status');
  room.get('/projects/:id/repository/commits/:sha/statuses', {
    summary: 'List the statuses of a commit',
    description: 'Those that a newer one of the same name stands for are left out unless `all` is given.',
    params: params({
      ...commitPath,
      ref: optional(
        param.string({
          description:
            'Only of this branch or tag. If absent: of the default branch, or of every ref where the commit has none on it.',
        }),
      ),
      stage: optional(param.string()),
      name: optional(param.string()),
      pipeline_id: optional(param.integer()),
      all: optional(param.boolean({ description: 'Every status, not only the latest of each name.' })),
      order_by: withDefault(param.oneOf(['id', 'pipeline_id']), 'id'),
      sort: withDefault(param.oneOf(['asc', 'desc']), 'asc'),
      ...pageParams,
    }),
    responses: { 200: Type.Array(CommitStatus) },
    async handler(call) {
      const { project } = await guardLate(guard, call);
      const { params: asked } = call;
      await findCommit(core, project, call);
      const page = pageOf(asked);
      const { rows, total } = await listStatuses(
        core.db,
        // The literal text, as on GitLab: the commit must exist, but a branch or a short id finds no statuses.
        {
          ...asked,
          projectId: project.id,
          pipelineId: asked.pipeline_id,
          defaultBranch: project.default_branch,
        },
        { order: asked.order_by, direction: asked.sort, limit: page.perPage, offset: page.offset },
      );
      const items = await presentStatuses(core, rows, { project, baseUrl: call.baseUrl });
      return pageAnswer(call, page, items, { total });
    },
  });
}

type Place = { project: ProjectWithNamespace; baseUrl: string };

async function presentStatuses(core: Core, rows: StatusRow[], place: Place) {
  const authors = await findUsersByIds(
    core.db,
    rows.flatMap((row) => row.user_id ?? []),
  );
  return rows.map((row) => presentCommitStatus(row, { ...place, author: authors.get(row.user_id ?? 0) }));
}

function postRoute(room: Room, core: Core): void {
  const guard = core.guards.project('create_commit_status');
  room.post('/projects/:id/statuses/:sha', {
    summary: 'Set a status of a commit',
    description: 'Moves on the status of that name which has not ended yet, or makes a new one.',
    params: params({
      ...commitPath,
      state: param.oneOf(POSTED_STATES),
      ref: optional(param.string({ description: 'Branch or tag; found from the commit if absent.' })),
      name: optional(
        param.string({ description: 'What tells it from the other statuses; `default` if absent.' }),
      ),
      context: optional(param.string({ description: 'The same as `name`, which wins.' })),
      target_url: optional(param.string()),
      description: optional(param.string()),
      coverage: optional(param.number()),
      pipeline_id: optional(param.integer()),
    }),
    responses: { 201: CommitStatus },
    async handler(call) {
      const { project, access } = await guardLate(guard, call);
      const { params: posted, caller, baseUrl, signal } = call;
      const { repo, oid } = await findCommit(core, project, call);
      const row = await postStatus(core, {
        ...posted,
        projectId: project.id,
        sha: oid,
        userId: caller.user.id,
        targetUrl: posted.target_url,
        pipelineId: posted.pipeline_id,
        branchOf: async () => (await refsContaining(repo, oid, 'branch', signal))[0]?.name ?? null,
        authorize: (ref) => demandPipelineRight({ core, project, access }, ref),
      });
      return presentCommitStatus(row, { project, baseUrl, author: caller.user });
    },
  });
}

/** Pipelines of a protected branch are for those who may push to it or merge into it. */
async function demandPipelineRight(right: RefRight, ref: string): Promise<void> {
  const rights = await branchRights(right, ref);
  if (rights.protected && !rights.mayPush && !rights.mayMerge) throw fail.forbidden();
}
