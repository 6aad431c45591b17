import { Answer } from '../../platform/http/answer.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { Level } from '../access/levels.ts';
import type { Core, CoreApi } from '../core.ts';
import { approveRequest, denyRequest, requestAccess } from './access-requests.ts';
import { AccessRequester, Member, presentMembers, presentRequesters } from './entities.ts';
import { type MemberKind, sourceGuard } from './guard.ts';
import { countRequests, listRequests } from './store.ts';

/** Requests to become a member of a project or group. */
export function accessRequestRoutes(api: CoreApi, core: Core, kind: MemberKind): void {
  const room = api.room('members');
  const path = `/${kind}s/:id/access_requests`;

  room.get(path, {
    summary: 'Who asks for access',
    params: params({ id: param.string(), ...pageParams }),
    responses: { 200: Type.Array(AccessRequester) },
    guard: sourceGuard(core, kind, { admin: true }),
    handler: async (call) => {
      const page = pageOf(call.params);
      const slice = { limit: page.perPage, offset: page.offset };
      const rows = await listRequests(core.db, call.guarded, slice);
      const total = await countRequests(core.db, call.guarded);
      return pageAnswer(call, page, await presentRequesters(core, rows), { total });
    },
  });

  room.post(path, {
    summary: 'Ask for access for oneself',
    params: params({ id: param.string() }),
    responses: { 201: AccessRequester },
    guard: sourceGuard(core, kind),
    handler: async ({ caller, guarded }) => {
      const request = await requestAccess(core, caller, guarded);
      const [shown] = await presentRequesters(core, [request]);
      return shown;
    },
  });

  room.put(`${path}/:user_id/approve`, {
    summary: 'Grant a request',
    params: params({
      id: param.string(),
      user_id: param.integer(),
      access_level: withDefault(param.integer(), Level.developer),
    }),
    responses: { 201: Member },
    guard: sourceGuard(core, kind, { admin: true }),
    handler: async ({ caller, params, guarded }) => {
      const row = await approveRequest(core, caller, guarded, params.user_id, params.access_level);
      const [member] = await presentMembers(core, caller, [row]);
      return new Answer(201, member);
    },
  });

  room.delete(`${path}/:user_id`, {
    summary: 'Refuse a request, or take back one’s own',
    params: params({ id: param.string(), user_id: param.integer() }),
    responses: { 204: null },
    guard: sourceGuard(core, kind),
    handler: ({ caller, params, guarded }) => denyRequest(core, caller, guarded, params.user_id),
  });
}
