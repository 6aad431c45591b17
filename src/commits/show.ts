import type { Core, Room } from '../core/core.ts';
import { param, params, withDefault } from '../platform/http/params.ts';
import { CommitDetail, type CommitDetails } from './detail.ts';
import { commitPath, findCommit } from './find.ts';

/** `GET /projects/:id/repository/commits/:sha` */
export function showRoute(room: Room, core: Core, details: CommitDetails): void {
  room.get('/projects/:id/repository/commits/:sha', {
    summary: 'Show a commit',
    params: params({
      ...commitPath,
      stats: withDefault(param.boolean({ description: 'Count the lines added and removed.' }), true),
    }),
    responses: { 200: CommitDetail },
    guard: core.guards.repository(),
    async handler(call) {
      const found = await findCommit(core, call.guarded.project, call);
      const { guarded, baseUrl } = call;
      return details.written(found, { guarded, baseUrl, withStats: call.params.stats }, call);
    },
  });
}
