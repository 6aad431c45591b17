import { traversalIds } from '../../core/access/store.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core, Room } from '../../core/core.ts';
import { findNamespaceById } from '../../core/namespaces/store.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { createLabel, deleteLabel, type LabelFields, updateLabel } from './change.ts';
import { GroupLabel, ProjectLabel } from './entities.ts';
import { demandLabel } from './find.ts';
import { countLabels, listLabels } from './list-store.ts';
import { scopeOf } from './named.ts';
import { color, exactlyOne, named, reference, search } from './params.ts';
import { presentGroupLabels, presentProjectLabels } from './present.ts';
import { promoteLabel } from './promote.ts';
import { labelsByName } from './store.ts';
import type { LabelRow } from './tables.ts';

const id = param.string({ description: 'Number or URL-encoded path of the project.' });
const details = {
  description: optional(param.string()),
  priority: optional(param.integer({ description: 'Labels with a low one come first; null for none.' })),
};
const changes = { new_name: optional(param.string()), color: optional(color), ...details };
const atLeastOne = [Object.keys(changes)];
const includeAncestors = withDefault(param.boolean(), true);
const withCounts = withDefault(param.boolean(), false);

/** Labels of a project, with those of the groups above it. */
export function projectLabelRoutes(room: Room, core: Core): void {
  const read = core.guards.project('read_label');
  const write = core.guards.project('read_label', 'admin_label');
  const one = async (project: ProjectWithNamespace, label: LabelRow, caller: Caller) =>
    (await presentProjectLabels(core, project, [label], { caller, withCounts: false }))[0]!;
  const own = (project: ProjectWithNamespace, name: string) =>
    demandLabel(core.db, { projectId: project.id, groupIds: [] }, name);

  room.get('/projects/:id/labels', {
    summary: 'List the labels of a project',
    params: params({
      id,
      with_counts: withCounts,
      include_ancestor_groups: includeAncestors,
      search,
      ...pageParams,
    }),
    responses: { 200: Type.Array(ProjectLabel) },
    guard: read,
    handler: async (call) => {
      const { project } = call.guarded;
      const groupIds = call.params.include_ancestor_groups ? traversalIds(project.traversal) : [];
      const filter = { projectId: project.id, groupIds, search: call.params.search };
      const page = pageOf(call.params);
      const rows = await listLabels(core.db, filter, { limit: page.perPage, offset: page.offset });
      const asked = { caller: call.caller, withCounts: call.params.with_counts };
      const body = await presentProjectLabels(core, project, rows, asked);
      return pageAnswer(call, page, body, { total: await countLabels(core.db, filter) });
    },
  });

  room.post('/projects/:id/labels', {
    summary: 'Make a label',
    params: params({ id, name: param.string(), color, ...details }),
    responses: { 201: ProjectLabel },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: input }) => {
      const taken = await labelsByName(core.db, scopeOf(project), [input.name.trim()]);
      if (taken.size > 0) throw fail.conflict('Label already exists');
      const owner = { projectId: project.id, groupId: null };
      const label = await createLabel(core, owner, fieldsOf(input, project), caller.user.id);
      return one(project, label, caller);
    },
  });

  room.get('/projects/:id/labels/:name', {
    summary: 'Read a label',
    params: params({ id, name: reference, include_ancestor_groups: includeAncestors }),
    responses: { 200: ProjectLabel },
    guard: read,
    handler: async ({ caller, guarded: { project }, params: asked }) => {
      const groupIds = asked.include_ancestor_groups ? traversalIds(project.traversal) : [];
      const label = await demandLabel(core.db, { projectId: project.id, groupIds }, asked.name);
      return one(project, label, caller);
    },
  });

  room.put('/projects/:id/labels/:name', {
    summary: 'Change a label',
    params: params({ id, name: reference, ...changes }, { atLeastOneOf: atLeastOne }),
    responses: { 200: ProjectLabel },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: input }) => {
      const label = await own(project, input.name);
      const fields = fieldsOf({ ...input, name: input.new_name }, project);
      return one(project, await updateLabel(core, label, fields, caller.user.id), caller);
    },
  });

  room.put('/projects/:id/labels', {
    summary: 'Change a label named by a parameter',
    params: params({ id, ...named, ...changes }, { exactlyOneOf: exactlyOne, atLeastOneOf: atLeastOne }),
    responses: { 200: ProjectLabel },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: input }) => {
      const label = await own(project, String(input.label_id ?? input.name));
      const fields = fieldsOf({ ...input, name: input.new_name }, project);
      return one(project, await updateLabel(core, label, fields, caller.user.id), caller);
    },
  });

  room.delete('/projects/:id/labels/:name', {
    summary: 'Delete a label',
    params: params({ id, name: reference }),
    responses: { 204: null },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: { name }, headers }) => {
      const label = await own(project, name);
      demandUnmodified(headers, label.updated_at);
      await deleteLabel(core, label, caller.user.id);
    },
  });

  room.delete('/projects/:id/labels', {
    summary: 'Delete a label named by a parameter',
    params: params({ id, ...named }, { exactlyOneOf: exactlyOne }),
    responses: { 204: null },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: { name, label_id }, headers }) => {
      const label = await own(project, String(label_id ?? name));
      demandUnmodified(headers, label.updated_at);
      await deleteLabel(core, label, caller.user.id);
    },
  });

  room.put('/projects/:id/labels/:name/promote', {
    summary: 'Make a label one of the group',
    params: params({ id, name: reference }),
    responses: { 200: GroupLabel },
    guard: write,
    handler: async ({ caller, guarded: { project }, params: { name } }) => {
      const label = await own(project, name);
      const group = await findNamespaceById(core.db, project.namespace_id);
      if (group?.kind !== 'group') throw fail.badRequest('Failed to promote project label to group label');
      (await core.access.group(caller, group)).demand('admin_label');
      const promoted = await promoteLabel(core, label, group.id, caller.user.id);
      return (await presentGroupLabels(core, [promoted], { caller, withCounts: false }))[0]!;
    },
  });
}

interface LabelInput {
  name?: string | null | undefined;
  color?: string | null | undefined;
  description?: string | null | undefined;
  priority?: number | null | undefined;
}

const fieldsOf = (
  { name, color, description, priority }: LabelInput,
  project: ProjectWithNamespace,
): LabelFields => ({
  name,
  color,
  description,
  ...(priority !== undefined && { priority: { projectId: project.id, value: priority } }),
});
