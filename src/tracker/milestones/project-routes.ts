import { traversalIds } from '../../core/access/store.ts';
import type { Core, Room } from '../../core/core.ts';
import { findNamespaceById } from '../../core/namespaces/store.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf } from '../../platform/http/pagination.ts';
import { params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { Milestone, milestonePresenter } from './entities.ts';
import { ownMilestone, projectPath } from './home.ts';
import { filterOf, listFields, milestoneId, wantsAncestors } from './params.ts';
import { promoteMilestone } from './promote.ts';
import { countMilestones, listMilestones } from './store.ts';

/** What milestones of a project have by themselves: their list, and becoming the group's. */
export function projectMilestoneRoutes(room: Room, core: Core): void {
  const read = core.guards.project('read_milestone');
  const write = core.guards.project('read_milestone', 'admin_milestone');
  const show = milestonePresenter(core);

  room.get('/projects/:id/milestones', {
    summary: 'List the milestones of a project',
    params: params({ ...projectPath, ...listFields }),
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

  room.post('/projects/:id/milestones/:milestone_id/promote', {
    summary: 'Make a milestone one of the group',
    params: params({ ...projectPath, milestone_id: milestoneId }),
    responses: { 201: Milestone },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: asked }) => {
      const { place: _, ...milestone } = await ownMilestone(
        core,
        { projectId: project.id, groupId: null },
        asked.milestone_id,
      );
      const group = await findNamespaceById(core.db, project.namespace_id);
      if (group?.kind !== 'group') throw fail.badRequest('Project does not belong to a group.');
      (await core.access.group(caller, group)).demand('admin_milestone');
      const promoted = await promoteMilestone(core, milestone, group.id, caller.user.id);
      return show({ ...promoted, place: group.full_path });
    },
  });
}
