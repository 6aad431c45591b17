import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';

/** Nobody can make a deploy token here, so every list is empty: clients ask for it before they delete a project or group. */
export function deployTokenRoutes(api: CoreApi, core: Core): void {
  const room = api.room('deploy tokens');
  const responses = { 200: Type.Array(Type.Object({})) };

  room.get('/deploy_tokens', {
    summary: 'Deploy tokens of all projects and groups: none',
    params: params(pageParams),
    responses,
    guard: core.guards.admin,
    handler: async (call) => pageAnswer(call, pageOf(call.params), [], { total: 0 }),
  });

  room.get('/projects/:id/deploy_tokens', {
    summary: 'Deploy tokens of a project: none',
    params: params({ id: param.string(), ...pageParams }),
    responses,
    guard: core.guards.project('admin_project'),
    handler: async (call) => pageAnswer(call, pageOf(call.params), [], { total: 0 }),
  });

  room.get('/groups/:id/deploy_tokens', {
    summary: 'Deploy tokens of a group: none',
    params: params({ id: param.string(), ...pageParams }),
    responses,
    guard: core.guards.group('admin_group'),
    handler: async (call) => pageAnswer(call, pageOf(call.params), [], { total: 0 }),
  });
}
