import { fail } from '../../platform/errors.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import type { Core, CoreApi } from '../core.ts';
import { findProject } from '../projects/find.ts';
import { transferProject } from '../projects/transfer.ts';
import { GroupDetail, presentGroupDetail } from './entities.ts';
import { share, unshare } from './share.ts';
import { transferGroup } from './transfer.ts';

/** What is done to a group beyond changing its fields: moving and sharing it. */
export function groupActionRoutes(api: CoreApi, core: Core): void {
  const room = api.room('groups');

  room.post('/groups/:id/transfer', {
    summary: 'Put a group below another, or at the top without `group_id`',
    params: params({ id: param.string(), group_id: optional(param.integer()) }),
    responses: { 201: GroupDetail },
    guard: core.guards.group('admin_group'),
    handler: async ({ caller, params, guarded }) => {
      const group = await transferGroup(core, caller, guarded.group, params.group_id ?? null);
      return presentGroupDetail(core, caller, group);
    },
  });

  room.post('/groups/:id/projects/:project_id', {
    summary: 'Move a project into a group (administrators)',
    params: params({ id: param.string(), project_id: param.string({ description: 'Number or path.' }) }),
    responses: { 201: GroupDetail },
    guard: (call) => {
      core.guards.admin(call);
      return core.guards.group()(call);
    },
    handler: async ({ caller, params, guarded }) => {
      const found = await findProject(core.db, params.project_id);
      if (!found) throw fail.notFound('Project');
      await transferProject(core, caller, found.project, guarded.group);
      return presentGroupDetail(core, caller, guarded.group);
    },
  });

  room.post('/groups/:id/share', {
    summary: 'Share a group with another group',
    params: params({
      id: param.string(),
      group_id: param.integer(),
      group_access: param.oneOfNumbers([10, 15, 20, 30, 40, 50]),
      expires_at: optional(param.date()),
    }),
    responses: { 201: GroupDetail },
    guard: core.guards.group('admin_group'),
    handler: async ({ caller, params, guarded: { group, access } }) => {
      const shared = { groupId: group.id, ownLevel: access.level };
      await share(core, caller, shared, {
        groupId: params.group_id,
        level: params.group_access,
        expiresAt: params.expires_at ?? null,
      });
      return presentGroupDetail(core, caller, group);
    },
  });

  room.delete('/groups/:id/share/:group_id', {
    summary: 'Stop sharing a group with another group',
    params: params({ id: param.string(), group_id: param.integer() }),
    responses: { 204: null },
    guard: core.guards.group('admin_group'),
    handler: ({ params, guarded }) => unshare(core, { groupId: guarded.group.id }, params.group_id),
  });
}
