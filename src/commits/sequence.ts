import type { Core, Room } from '../core/core.ts';
import { countCommits } from '../git/ancestry.ts';
import { param, params, withDefault } from '../platform/http/params.ts';
import { Type } from '../platform/http/schema.ts';
import { commitPath, findCommit } from './find.ts';

const CommitSequence = Type.Object({ count: Type.Integer() }, { $id: 'CommitSequence' });

/** `GET /projects/:id/repository/commits/:sha/sequence` */
export function sequenceRoute(room: Room, core: Core): void {
  room.get('/projects/:id/repository/commits/:sha/sequence', {
    summary: 'Count the commits up to and including a commit',
    params: params({
      ...commitPath,
      first_parent: withDefault(param.boolean({ description: 'Only along first parents.' }), false),
    }),
    responses: { 200: CommitSequence },
    guard: core.guards.repository(),
    async handler(call) {
      const { repo, oid } = await findCommit(core, call.guarded.project, call);
      const { signal } = call;
      return { count: await countCommits(repo, oid, { firstParent: call.params.first_parent, signal }) };
    },
  });
}
