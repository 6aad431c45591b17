import { traversalIds } from '../../core/access/store.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core, Room } from '../../core/core.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { visibleGroupsBelow } from '../group-scope-store.ts';
import { createLabel, deleteLabel, updateLabel } from './change.ts';
import { GroupLabel } from './entities.ts';
import { demandLabel } from './find.ts';
import { countLabels, listLabels } from './list-store.ts';
import { color, exactlyOne, named, reference, search } from './params.ts';
import { presentGroupLabels } from './present.ts';
import type { LabelRow } from './tables.ts';

const id = param.string({ description: 'Number or URL-encoded path of the group.' });
const changes = {
  new_name: optional(param.string()),
  color: optional(color),
  description: optional(param.string()),
};
const atLeastOne = [Object.keys(changes)];

/** Labels of a group, which every project below may use. */
export function groupLabelRoutes(room: Room, core: Core): void {
  const read = core.guards.group();
  const write = core.guards.group('admin_label');
  const one = async (label: LabelRow, caller: Caller) =>
    (await presentGroupLabels(core, [label], { caller, withCounts: false }))[0]!;
  const own = (groupId: number, name: string) =>
    demandLabel(core.db, { projectId: null, groupIds: [groupId] }, name);
  const change = async (label: LabelRow, input: Changes, caller: Caller) => {
    const fields = { name: input.new_name, color: input.color, description: input.description };
    return one(await updateLabel(core, label, fields, caller.user.id), caller);
  };

  room.get('/groups/:id/labels', {
    summary: 'List the labels of a group',
    params: params({
      id,
      with_counts: withDefault(param.boolean(), false),
      include_ancestor_groups: withDefault(param.boolean(), true),
      include_descendant_groups: withDefault(param.boolean(), false),
      only_group_labels: withDefault(param.boolean(), true),
      search,
      ...pageParams,
    }),
    responses: { 200: Type.Array(GroupLabel) },
    guard: read,
    handler: async (call) => {
      const { caller, params: asked } = call;
      const { group } = call.guarded;
      const viewer = core.access.viewer(caller);
      const above = asked.include_ancestor_groups ? traversalIds(group.traversal) : [group.id];
      const below = asked.include_descendant_groups
        ? await visibleGroupsBelow(core.db, group.id, viewer)
        : [];
      const projects = asked.only_group_labels ? undefined : { groupIds: [group.id, ...below], viewer };
      const filter = { groupIds: [...above, ...below], projects, search: asked.search };
      const page = pageOf(asked);
      const rows = await listLabels(core.db, filter, { limit: page.perPage, offset: page.offset });
      const body = await presentGroupLabels(core, rows, { caller, withCounts: asked.with_counts });
      return pageAnswer(call, page, body, { total: await countLabels(core.db, filter) });
    },
  });

  room.post('/groups/:id/labels', {
    summary: 'Make a label of a group',
    params: params({ id, name: param.string(), color, description: optional(param.string()) }),
    responses: { 201: GroupLabel },
    guard: write,
    handler: async ({ caller, guarded: { group }, params: input }) => {
      const owner = { projectId: null, groupId: group.id };
      return one(await createLabel(core, owner, input, caller.user.id), caller);
    },
  });

  room.get('/groups/:id/labels/:name', {
    summary: 'Read a label of a group',
    params: params({ id, name: reference }),
    responses: { 200: GroupLabel },
    guard: read,
    handler: async ({ caller, guarded: { group }, params: asked }) => {
      const groupIds = traversalIds(group.traversal);
      return one(await demandLabel(core.db, { projectId: null, groupIds }, asked.name), caller);
    },
  });

  room.put('/groups/:id/labels/:name', {
    summary: 'Change a label of a group',
    params: params({ id, name: reference, ...changes }, { atLeastOneOf: atLeastOne }),
    responses: { 200: GroupLabel },
    guard: write,
    handler: async ({ caller, guarded: { group }, params: input }) =>
      change(await own(group.id, input.name), input, caller),
  });

  room.put('/groups/:id/labels', {
    summary: 'Change a label of a group named by a parameter',
    params: params({ id, ...named, ...changes }, { exactlyOneOf: exactlyOne, atLeastOneOf: atLeastOne }),
    responses: { 200: GroupLabel },
    guard: write,
    handler: async ({ caller, guarded: { group }, params: input }) =>
      change(await own(group.id, String(input.label_id ?? input.name)), input, caller),
  });

  room.delete('/groups/:id/labels/:name', {
    summary: 'Delete a label of a group',
    params: params({ id, name: reference }),
    responses: { 204: null },
    guard: write,
    handler: async ({ caller, guarded: { group }, params: asked, headers }) => {
      const label = await own(group.id, asked.name);
      demandUnmodified(headers, label.updated_at);
      await deleteLabel(core, label, caller.user.id);
    },
  });

  room.delete('/groups/:id/labels', {
    summary: 'Delete a label of a group named by a parameter',
    params: params({ id, ...named }, { exactlyOneOf: exactlyOne }),
    responses: { 204: null },
    guard: write,
    handler: async ({ caller, guarded: { group }, params: asked, headers }) => {
      const label = await own(group.id, String(asked.label_id ?? asked.name));
      demandUnmodified(headers, label.updated_at);
      await deleteLabel(core, label, caller.user.id);
    },
  });
}

type Changes = Partial<Record<keyof typeof changes, string | null>>;
