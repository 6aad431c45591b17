import type { Core, Room } from '../../core/core.ts';
import { presentUserBasic, UserBasic } from '../../core/entities.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import { fail } from '../../platform/errors.ts';
import { pageOf, pageParams, sliceAnswer } from '../../platform/http/pagination.ts';
import { param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { presentDetail } from './detail.ts';
import { Issue } from './entities.ts';
import { findByIid, issuePath } from './find.ts';
import { participantIds } from './people-store.ts';
import { findIssueById } from './store.ts';

/** One issue, and who takes part in it. */
export function issueReadRoutes(room: Room, core: Core): void {
  const guard = core.guards.project('read_issue');

  room.get('/issues/:id', {
    summary: 'Read an issue by its id',
    description: 'For administrators; others know issues by their number within the project.',
    params: params({ id: param.integer() }),
    responses: { 200: Issue },
    guard: core.guards.admin,
    handler: async ({ caller, params: { id } }) => {
      const row = await findIssueById(core.db, id);
      if (!row) throw fail.recordNotFound();
      return presentDetail(core, row, caller);
    },
  });

  room.get('/projects/:id/issues/:issue_iid', {
    summary: 'Read an issue',
    params: params(issuePath),
    responses: { 200: Issue },
    guard,
    handler: async ({ caller, guarded, params: { issue_iid } }) =>
      presentDetail(core, await findByIid(core, guarded, issue_iid), caller),
  });

  room.get('/projects/:id/issues/:issue_iid/participants', {
    summary: 'List who takes part in an issue',
    params: params({ ...issuePath, ...pageParams }),
    responses: { 200: Type.Array(UserBasic) },
    guard,
    handler: async (call) => {
      const row = await findByIid(core, call.guarded, call.params.issue_iid);
      const ids = await participantIds(core.db, row);
      const users = await findUsersByIds(core.db, ids);
      const people = ids.flatMap((id) => users.get(id) ?? []);
      return sliceAnswer(call, pageOf(call.params), people, (user) => presentUserBasic(user, core.baseUrl()));
    },
  });
}
