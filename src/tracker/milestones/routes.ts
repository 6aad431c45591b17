import { Type } from 'typebox';
import { traversalIds } from '../../core/access/store.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import { findNamespaceById } from '../../core/namespaces/store.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf } from '../../platform/http/pagination.ts';
import { param, params } from '../../platform/http/params.ts';
import { createMilestone, deleteMilestone, updateMilestone } from './change.ts';
import { Milestone, type PlacedMilestone, presentMilestone } from './entities.ts';
import { changeFields, filterOf, listFields, milestoneId, newFields, wantsAncestors } from './params.ts';
import { promoteMilestone } from './promote.ts';
import { countMilestones, findMilestone, listMilestones } from './store.ts';

const id = param.string({ description: 'Number or URL-encoded path of the project.' });

/** Milestones of a project. */
export function projectMilestoneRoutes(room: ReturnType<CoreApi['room']>, core: Core): void {
  const read = core.guards.project('read_milestone');
  const write = core.guards.project('read_milestone', 'admin_milestone');
  const show = (milestone: PlacedMilestone) =>
    presentMilestone(milestone, { baseUrl: core.baseUrl(), today: core.access.today() });

  room.get('/projects/:id/milestones', {
    summary: 'List the milestones of a project',
    params: params({ id, ...listFields }),
    responses: { 200: Type.Array(Milestone) },
    guard: read,
    handler: async (call) => {
      const { project } = call.guarded;
      const groupIds = wantsAncestors(call.params) ? traversalIds(project.traversal) : [];
      const filter = { ...filterOf(call.params), projectId: project.id, groupIds };
      const page = pageOf(call.params);
      const rows = await listMilestones(core.db, filter, { limit: page.perPage, offset: page.offset });
      return pageAnswer(call, page, rows.map(show), { total: await countMilestones(core.db, filter) });
    },
  });

  room.post('/projects/:id/milestones', {
    summary: 'Make a milestone',
    params: params({ id, ...newFields }),
    responses: { 201: Milestone },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: input }) => {
      const owner = { projectId: project.id, groupId: null };
      const milestone = await createMilestone(core, owner, input, caller.user.id);
      return show({ ...milestone, place: project.full_path });
    },
  });

  room.get('/projects/:id/milestones/:milestone_id', {
    summary: 'Read a milestone',
    params: params({ id, milestone_id: milestoneId }),
    responses: { 200: Milestone },
    guard: read,
    handler: async ({ guarded: { project }, params: asked }) =>
      show(await projectMilestone(core, project.id, asked.milestone_id)),
  });

  room.put('/projects/:id/milestones/:milestone_id', {
    summary: 'Change a milestone',
    params: params(
      { id, milestone_id: milestoneId, ...changeFields },
      { atLeastOneOf: [Object.keys(changeFields)] },
    ),
    responses: { 200: Milestone },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: input }) => {
      const { place, ...milestone } = await projectMilestone(core, project.id, input.milestone_id);
      return show({ ...(await updateMilestone(core, milestone, input, caller.user.id)), place });
    },
  });

  room.delete('/projects/:id/milestones/:milestone_id', {
    summary: 'Delete a milestone',
    params: params({ id, milestone_id: milestoneId }),
    responses: { 204: null },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: asked }) => {
      const milestone = await projectMilestone(core, project.id, asked.milestone_id);
      await deleteMilestone(core, milestone, caller.user.id);
    },
  });

  room.post('/projects/:id/milestones/:milestone_id/promote', {
    summary: 'Make a milestone one of the group',
    params: params({ id, milestone_id: milestoneId }),
    responses: { 201: Milestone },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: asked }) => {
      const { place: _, ...milestone } = await projectMilestone(core, project.id, asked.milestone_id);
      const group = await findNamespaceById(core.db, project.namespace_id);
      if (group?.kind !== 'group') throw fail.badRequest('Project does not belong to a group.');
      (await core.access.group(caller, group)).demand('admin_milestone');
      const promoted = await promoteMilestone(core, milestone, group.id, caller.user.id);
      return show({ ...promoted, place: group.full_path });
    },
  });
}

/** Throws 404. */
export async function projectMilestone(
  { db }: Pick<Core, 'db'>,
  projectId: number,
  id: number,
): Promise<PlacedMilestone> {
  const milestone = await findMilestone(db, { projectId, groupIds: [] }, id);
  if (!milestone) throw fail.recordNotFound();
  return milestone;
}
