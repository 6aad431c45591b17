import type { Core, CoreApi, Room } from '../../core/core.ts';
import { params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { createMilestone, deleteMilestone, updateMilestone } from './change.ts';
import { contentsRoutes } from './contents-routes.ts';
import { Milestone, milestonePresenter } from './entities.ts';
import { groupMilestoneRoutes } from './group-routes.ts';
import { type MilestoneHome, milestoneHomes, ownMilestone } from './home.ts';
import { changeFields, milestoneId, newFields } from './params.ts';
import { projectMilestoneRoutes } from './project-routes.ts';

/** Milestones of projects, and of groups, which the issues and merge requests of every project below may have. */
export function milestoneRoutes(api: CoreApi, core: Core): void {
  const room = api.room('milestones');
  projectMilestoneRoutes(room, core);
  groupMilestoneRoutes(room, core);
  for (const home of milestoneHomes(core)) {
    writeRoutes(room, core, home);
    contentsRoutes(room, core, home);
  }
}

/** Making, reading, changing and deleting one. */
function writeRoutes(room: Room, core: Core, { path, of, read, write, ...home }: MilestoneHome): void {
  const show = milestonePresenter(core);
  const one = { ...home.params, milestone_id: milestoneId };

  room.post(path, {
    summary: `Make a milestone${of}`,
    params: params({ ...home.params, ...newFields }),
    responses: { 201: Milestone },
    guard: write,
    handler: async ({ caller, guarded: { owner, fullPath }, params: input }) =>
      show({ ...(await createMilestone(core, owner, input, caller.user.id)), place: fullPath }),
  });

  room.get(`${path}/:milestone_id`, {
    summary: `Read a milestone${of}`,
    params: params(one),
    responses: { 200: Milestone },
    guard: read,
    handler: async ({ guarded: { owner }, params: asked }) =>
      show(await ownMilestone(core, owner, asked.milestone_id)),
  });

  room.put(`${path}/:milestone_id`, {
    summary: `Change a milestone${of}`,
    params: params({ ...one, ...changeFields }, { atLeastOneOf: [Object.keys(changeFields)] }),
    responses: { 200: Milestone },
    guard: write,
    handler: async ({ caller, guarded: { owner }, params: input }) => {
      const { place, ...milestone } = await ownMilestone(core, owner, input.milestone_id);
      return show({ ...(await updateMilestone(core, milestone, input, caller.user.id)), place });
    },
  });

  room.delete(`${path}/:milestone_id`, {
    summary: `Delete a milestone${of}`,
    params: params(one),
    responses: { 204: null },
    guard: write,
    handler: async ({ caller, guarded: { owner }, params: asked, headers }) => {
      const milestone = await ownMilestone(core, owner, asked.milestone_id);
      demandUnmodified(headers, milestone.updated_at);
      await deleteMilestone(core, milestone, caller.user.id);
    },
  });
}
