import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import type { Core, CoreApi } from '../core.ts';
import { Accepted, accepted } from '../entities.ts';
import { VISIBILITIES } from '../projects/params.ts';
import { chosenJobLimits, jobLimitParams } from '../settings/job-limits.ts';
import { groupContents } from './contents.ts';
import { createGroup } from './create.ts';
import { GroupDetail, presentGroupDetail } from './entities.ts';
import { chosenGroupSettings, groupSettingParams } from './params.ts';
import { removeGroup } from './remove.ts';
import { updateGroup } from './update.ts';

const describing = {
  description: optional(param.string()),
  visibility: optional(param.oneOf(VISIBILITIES)),
  ...groupSettingParams,
};

/** Making, reading, changing and deleting one group. */
export function groupRoutes(api: CoreApi, core: Core): void {
  const room = api.room('groups');

  room.post('/groups', {
    summary: 'Create a group, or a subgroup with `parent_id`',
    params: params({
      name: param.string(),
      path: param.string(),
      parent_id: optional(param.integer()),
      ...describing,
    }),
    responses: { 201: GroupDetail },
    handler: async ({ caller, params }) => {
      const { name, path, parent_id: parentId, description, visibility } = params;
      const settings = chosenGroupSettings(params);
      const group = await createGroup(core, caller, {
        name,
        path,
        parentId,
        description,
        visibility,
        settings,
      });
      return presentGroupDetail(core, caller, group);
    },
  });

  room.get('/groups/:id', {
    summary: 'One group',
    params: params({
      id: param.string(),
      with_projects: withDefault(param.boolean(), true),
      with_custom_attributes: withDefault(param.boolean(), false),
    }),
    responses: { 200: GroupDetail },
    guard: core.guards.group(),
    handler: async ({ caller, params, guarded: { group, access } }) => {
      const entity = await presentGroupDetail(core, caller, group);
      const contents = params.with_projects ? await groupContents(core, caller, group) : {};
      const token = access.can('admin_group')
        ? { runners_token: await core.projectFigures.runnersToken({ groupId: group.id }) }
        : {};
      return { ...entity, ...contents, ...token };
    },
  });

  room.put('/groups/:id', {
    summary: 'Change a group',
    params: params({
      id: param.string(),
      name: optional(param.string()),
      path: optional(param.string()),
      ...describing,
      ...jobLimitParams,
    }),
    responses: { 200: GroupDetail },
    guard: core.guards.group('admin_group'),
    handler: async ({ caller, params, guarded }) => {
      const { name, path, description, visibility } = params;
      const settings = { ...chosenGroupSettings(params), ...chosenJobLimits(caller, params) };
      const wanted = { name, path, description, visibility, settings };
      const group = await updateGroup(core, caller, guarded.group, wanted);
      return presentGroupDetail(core, caller, group);
    },
  });

  room.delete('/groups/:id', {
    summary: 'Delete a group with everything in it, at once',
    params: params({ id: param.string() }),
    responses: { 202: Accepted },
    guard: core.guards.group('remove_group'),
    handler: async ({ caller, guarded, headers }) => {
      demandUnmodified(headers, guarded.group.updated_at);
      await removeGroup(core, guarded.group, caller.user.id);
      return accepted();
    },
  });
}
