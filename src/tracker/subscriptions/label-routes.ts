import { traversalIds } from '../../core/access/store.ts';
import type { Core, Room } from '../../core/core.ts';
import { param, params } from '../../platform/http/params.ts';
import { GroupLabel, ProjectLabel } from '../labels/entities.ts';
import { demandLabel } from '../labels/find.ts';
import { presentGroupLabels, presentProjectLabels } from '../labels/present.ts';
import { ACTIONS, unchanged } from './actions.ts';
import { labelsSubscribedBy } from './store.ts';
import { subscribeToLabel } from './subscribe.ts';

const id = param.string({ description: 'Number or URL-encoded path of the project or group.' });
const name = param.string({ description: 'Number or name of the label.' });

const summary = (subscribed: boolean) =>
  subscribed ? 'Hear of what gets a label' : 'Hear no more of what gets a label';

/** In this project: its own labels, and those of the groups above it. */
export function projectLabelSubscriptions(room: Room, core: Core): void {
  for (const { action, subscribed } of ACTIONS) {
    room.post(`/projects/:id/labels/:name/${action}`, {
      summary: summary(subscribed),
      description: '304 where that is so already.',
      params: params({ id, name }),
      responses: { 201: ProjectLabel, 304: null },
      guard: core.guards.project('read_label'),
      handler: async ({ caller, guarded: { project }, params: asked }) => {
        const scope = { projectId: project.id, groupIds: traversalIds(project.traversal) };
        const label = await demandLabel(core.db, scope, asked.name);
        const userId = caller.user.id;
        const known = await labelsSubscribedBy(core.db, userId, [label.id], project.id);
        if (known.has(label.id) === subscribed) return unchanged();
        await subscribeToLabel(core, userId, { labelId: label.id, projectId: project.id }, subscribed);
        return (await presentProjectLabels(core, project, [label], { caller, withCounts: false }))[0]!;
      },
    });
  }
}

/** In every project below the group. */
export function groupLabelSubscriptions(room: Room, core: Core): void {
  for (const { action, subscribed } of ACTIONS) {
    room.post(`/groups/:id/labels/:name/${action}`, {
      summary: summary(subscribed),
      description: '304 where that is so already.',
      params: params({ id, name }),
      responses: { 201: GroupLabel, 304: null },
      guard: core.guards.group(),
      handler: async ({ caller, guarded: { group }, params: asked }) => {
        const scope = { projectId: null, groupIds: traversalIds(group.traversal) };
        const label = await demandLabel(core.db, scope, asked.name);
        const known = await labelsSubscribedBy(core.db, caller.user.id, [label.id], null);
        if (known.has(label.id) === subscribed) return unchanged();
        await subscribeToLabel(core, caller.user.id, { labelId: label.id, projectId: null }, subscribed);
        return (await presentGroupLabels(core, [label], { caller, withCounts: false }))[0]!;
      },
    });
  }
}
