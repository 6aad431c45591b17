import type { Core, Room } from '../core/core.ts';
import type { Project } from '../core/tables.ts';
import { pageAnswer, pageOf, pageParams } from '../platform/http/pagination.ts';
import { optional, param, params } from '../platform/http/params.ts';
import { Type } from '../platform/http/schema.ts';
import { MergeRequestBasic } from '../tracker/merge-requests/entities.ts';
import { mergeRequestByMergeCommit, mergeRequestsForCommit } from '../tracker/merge-requests/for-commit.ts';
import { commitPath, findCommit } from './find.ts';
import { readsPages } from './guards.ts';

const STATES = ['opened', 'closed', 'locked', 'merged'] as const;

/** `GET /projects/:id/repository/commits/:sha/merge_requests` */
export function mergeRequestsRoute(room: Room, core: Core): void {
  room.get('/projects/:id/repository/commits/:sha/merge_requests', {
    summary: 'List the merge requests that brought a commit in, or would',
    params: params({ ...commitPath, state: optional(param.oneOf(STATES)), ...pageParams }),
    responses: { 200: Type.Array(MergeRequestBasic) },
    guard: readsPages(core, 'read_merge_request'),
    async handler(call) {
      const { project } = call.guarded;
      const { oid } = await findCommit(core, project, call);
      const page = pageOf(call.params);
      const { items, total } = await mergeRequestsForCommit(
        core.db,
        { projectId: project.id, sha: oid, state: call.params.state },
        {
          limit: page.perPage,
          offset: page.offset,
          baseUrl: call.baseUrl,
          today: core.access.today(),
        },
      );
      return pageAnswer(call, page, items, { total });
    },
  });
}

/** The merge request that the commit merged; null for an ordinary commit. */
export async function mergedBy(
  core: Core,
  project: Pick<Project, 'id'>,
  oid: string,
): Promise<{ iid: number } | null> {
  return (await mergeRequestByMergeCommit(core.db, project.id, oid)) ?? null;
}
