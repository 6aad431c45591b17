import { traversalIds } from '../../core/access/store.ts';
import type { Core, Room } from '../../core/core.ts';
import { pageAnswer, pageOf } from '../../platform/http/pagination.ts';
import { param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { visibleGroupsBelow } from '../group-scope-store.ts';
import { Milestone, milestonePresenter } from './entities.ts';
import { groupPath } from './home.ts';
import { filterOf, listFields, wantsAncestors } from './params.ts';
import { countMilestones, listMilestones } from './store.ts';

/** The list of a group's milestones, which may reach into what is below it. */
export function groupMilestoneRoutes(room: Room, core: Core): void {
  const read = core.guards.group();
  const show = milestonePresenter(core);

  room.get('/groups/:id/milestones', {
    summary: 'List the milestones of a group',
    params: params({
      ...groupPath,
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
}
