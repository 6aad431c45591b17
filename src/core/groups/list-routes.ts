import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';
import { answerProjectList, projectListParams } from '../projects/list.ts';
import { ProjectList } from '../projects/list-routes.ts';
import type { Namespace } from '../tables.ts';
import { Group } from './entities.ts';
import { answerGroupList, groupListParams } from './list.ts';
import { groupsBelow } from './store.ts';

/** Lists of groups, and of what is in one. */
export function groupListRoutes(api: CoreApi, core: Core): void {
  const room = api.room('groups');

  room.get('/groups', {
    summary: 'Groups that the caller may see',
    params: params(groupListParams),
    responses: { 200: Type.Array(Group) },
    handler: (call) => answerGroupList(core, call),
  });

  room.get('/groups/:id/subgroups', {
    summary: 'Groups directly below a group',
    params: params({ id: param.string(), ...groupListParams }),
    responses: { 200: Type.Array(Group) },
    guard: core.guards.group(),
    handler: (call) => answerGroupList(core, call, { parentId: call.guarded.group.id }),
  });

  room.get('/groups/:id/descendant_groups', {
    summary: 'Groups below a group, at any depth',
    params: params({ id: param.string(), ...groupListParams }),
    responses: { 200: Type.Array(Group) },
    guard: core.guards.group(),
    handler: (call) => answerGroupList(core, call, { belowId: call.guarded.group.id }),
  });

  room.get('/groups/:id/projects', {
    summary: 'Projects of a group, and those shared with it',
    params: params({
      id: param.string(),
      ...projectListParams,
      include_subgroups: withDefault(param.boolean(), false),
      with_shared: withDefault(param.boolean(), true),
      with_security_reports: optional(param.boolean()),
    }),
    responses: { 200: ProjectList },
    guard: core.guards.group(),
    handler: async (call) => {
      const { group } = call.guarded;
      const namespaceIds = await placesOf(group, call.params.include_subgroups);
      const shared = call.params.with_shared ? { orSharedWith: group.id } : {};
      return answerProjectList(core, call, { namespaceIds, ...shared });
    },
  });

  room.get('/groups/:id/projects/shared', {
    summary: 'Projects that are shared with a group',
    params: params({ id: param.string(), ...projectListParams }),
    responses: { 200: ProjectList },
    guard: core.guards.group(),
    handler: (call) => answerProjectList(core, call, { sharedWith: call.guarded.group.id }),
  });

  async function placesOf(group: Namespace, withSubgroups: boolean): Promise<number[]> {
    if (!withSubgroups) return [group.id];
    const below = await groupsBelow(core.db, group.id);
    return [group.id, ...below.map(({ id }) => id)];
  }
}
