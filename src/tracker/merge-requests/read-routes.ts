import type { Core, Room } from '../../core/core.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { presentDetail } from './detail.ts';
import { MergeRequest } from './entities.ts';
import { findByIid, mergeRequestPath } from './find.ts';
import type { FindHeadPipeline } from './ports.ts';

/** One merge request as a whole. */
export function readRoutes(room: Room, core: Core, findHeadPipeline: FindHeadPipeline): void {
  room.get('/projects/:id/merge_requests/:merge_request_iid', {
    summary: 'Read a merge request',
    params: params({
      ...mergeRequestPath,
      include_diverged_commits_count: optional(param.boolean()),
      include_rebase_in_progress: optional(param.boolean()),
    }),
    responses: { 200: MergeRequest },
    guard: core.guards.project('read_merge_request'),
    handler: async ({ caller, guarded: { project, access }, params: asked, signal }) => {
      const { row, sides } = await findByIid(core, project.id, asked.merge_request_iid);
      const includeDiverged = asked.include_diverged_commits_count;
      const includeRebase = asked.include_rebase_in_progress;
      const call = { caller, access, sides, findHeadPipeline, signal, includeDiverged, includeRebase };
      return presentDetail(core, row, call);
    },
  });
}
