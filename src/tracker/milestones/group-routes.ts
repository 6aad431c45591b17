import { Type } from 'typebox';
import { traversalIds } from '../../core/access/store.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf } from '../../platform/http/pagination.ts';
import { param, params, withDefault } from '../../platform/http/params.ts';
import { visibleGroupsBelow } from '../group-scope-store.ts';
import { createMilestone, deleteMilestone, updateMilestone } from './change.ts';
import { Milestone, type PlacedMilestone, presentMilestone } from './entities.ts';
import { changeFields, filterOf, listFields, milestoneId, newFields, wantsAncestors } from './params.ts';
import { countMilestones, findMilestone, listMilestones } from './store.ts';

const id = param.string({ description: 'Number or URL-encoded path of the group.' });

/** Milestones of a group, which the issues and merge requests of every project below may have. */
export function groupMilestoneRoutes(room: ReturnType<CoreApi['room']>, core: Core): void {
  const read = core.guards.group();
  const write = core.guards.group('admin_milestone');
  const show = (milestone: PlacedMilestone) =>
    presentMilestone(milestone, { baseUrl: core.baseUrl(), today: core.access.today() });

  room.get('/groups/:id/milestones', {
    summary: 'List the milestones of a group',
    params: params({
      id,
      ...listFields,
      include_descendants: withDefault(
        param.boolean({ description: 'With those of the groups and projects below.' }),
        false,
      ),
    }),
    responses: { 200: Type.Array(Milestone) },
    guard: read,
    handler: async (call) => {
      const { group } = call.guarded;
      const viewer = core.access.viewer(call.caller);
      const above = wantsAncestors(call.params) ? traversalIds(group.traversal) : [group.id];
      const wide = call.params.include_descendants;
      const below = wide ? await visibleGroupsBelow(core.db, group.id, viewer) : [];
      const projects = wide ? { groupIds: [group.id, ...below], viewer } : undefined;
      const filter = { ...filterOf(call.params), groupIds: [...above, ...below], projects };
      const page = pageOf(call.params);
      const rows = await listMilestones(core.db, filter, { limit: page.perPage, offset: page.offset });
      return pageAnswer(call, page, rows.map(show), { total: await countMilestones(core.db, filter) });
    },
  });

  room.post('/groups/:id/milestones', {
    summary: 'Make a milestone of a group',
    params: params({ id, ...newFields }),
    responses: { 201: Milestone },
    guard: write,
    handler: async ({ caller, guarded: { group }, params: input }) => {
      const owner = { projectId: null, groupId: group.id };
      const milestone = await createMilestone(core, owner, input, caller.user.id);
      return show({ ...milestone, place: group.full_path });
    },
  });

  room.get('/groups/:id/milestones/:milestone_id', {
    summary: 'Read a milestone of a group',
    params: params({ id, milestone_id: milestoneId }),
    responses: { 200: Milestone },
    guard: read,
    handler: async ({ guarded: { group }, params: asked }) =>
      show(await groupMilestone(core, group.id, asked.milestone_id)),
  });

  room.put('/groups/:id/milestones/:milestone_id', {
    summary: 'Change a milestone of a group',
    params: params(
      { id, milestone_id: milestoneId, ...changeFields },
      { atLeastOneOf: [Object.keys(changeFields)] },
    ),
    responses: { 200: Milestone },
    guard: write,
    handler: async ({ caller, guarded: { group }, params: input }) => {
      const { place, ...milestone } = await groupMilestone(core, group.id, input.milestone_id);
      return show({ ...(await updateMilestone(core, milestone, input, caller.user.id)), place });
    },
  });

  room.delete('/groups/:id/milestones/:milestone_id', {
    summary: 'Delete a milestone of a group',
    params: params({ id, milestone_id: milestoneId }),
    responses: { 204: null },
    guard: write,
    handler: async ({ caller, guarded: { group }, params: asked }) => {
      const milestone = await groupMilestone(core, group.id, asked.milestone_id);
      await deleteMilestone(core, milestone, caller.user.id);
    },
  });
}

/** Throws 404. */
export async function groupMilestone(
  { db }: Pick<Core, 'db'>,
  groupId: number,
  id: number,
): Promise<PlacedMilestone> {
  const milestone = await findMilestone(db, { groupIds: [groupId] }, id);
  if (!milestone) throw fail.recordNotFound();
  return milestone;
}
