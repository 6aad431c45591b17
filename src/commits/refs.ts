import type { Core, Room } from '../core/core.ts';
import { refsContaining } from '../git/ancestry.ts';
import { pageOf, pageParams, sliceAnswer } from '../platform/http/pagination.ts';
import { param, params, withDefault } from '../platform/http/params.ts';
import { Type } from '../platform/http/schema.ts';
import { commitPath, findCommit } from './find.ts';
import { readsPages } from './guards.ts';

const CommitRef = Type.Object(
  { type: Type.Union([Type.Literal('branch'), Type.Literal('tag')]), name: Type.String() },
  { $id: 'CommitRef' },
);

/** `GET /projects/:id/repository/commits/:sha/refs` */
export function refsRoute(room: Room, core: Core): void {
  room.get('/projects/:id/repository/commits/:sha/refs', {
    summary: 'List branches and tags that contain a commit',
    params: params({
      ...commitPath,
      type: withDefault(param.oneOf(['branch', 'tag', 'all']), 'all'),
      ...pageParams,
    }),
    responses: { 200: Type.Array(CommitRef) },
    guard: readsPages(core),
    async handler(call) {
      const { repo, oid } = await findCommit(core, call.guarded.project, call);
      const refs = await refsContaining(repo, oid, call.params.type, call.signal);
      return sliceAnswer(call, pageOf(call.params), refs, (ref) => ref);
    },
  });
}
