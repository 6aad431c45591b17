import { fail } from '../../../platform/errors.ts';
import { noContent } from '../../../platform/http/answer.ts';
import { pageOf, pageParams, sliceAnswer } from '../../../platform/http/pagination.ts';
import { param, params } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';
import type { Core, CoreApi } from '../../core.ts';
import { Group, presentGroups } from '../../groups/entities.ts';
import { findGroup } from '../../namespaces/find.ts';
import { findNamespacesByIds } from '../../namespaces/store.ts';
import { ProjectBasic } from '../../projects/entities.ts';
import { presentBasicProjects } from '../../projects/present-basic.ts';
import { projectSettings } from '../../projects/settings.ts';
import { findProjectById, findProjectsByIds } from '../../projects/store.ts';
import { updateProject } from '../../projects/update.ts';
import { allowSource, disallowSource } from './allow.ts';
import { allowedGroupIds, allowedProjectIds } from './store.ts';

const TAG = 'job tokens';
const id = param.string();

const Scope = Type.Object(
  { inbound_enabled: Type.Boolean(), outbound_enabled: Type.Boolean() },
  { $id: 'JobTokenScope' },
);

/** Whose jobs may reach a project with their tokens. */
export function jobTokenScopeRoutes(api: CoreApi, core: Core): void {
  switchRoutes(api, core);
  projectRoutes(api, core);
  groupRoutes(api, core);
}

function switchRoutes(api: CoreApi, core: Core): void {
  const room = api.room(TAG);
  const path = '/projects/:id/job_token_scope';
  const guard = core.guards.project('admin_project');

  room.get(path, {
    summary: 'Whether the job tokens of other projects are kept out',
    params: params({ id }),
    responses: { 200: Scope },
    guard,
    handler: ({ guarded: { project } }) => {
      const settings = projectSettings(project);
      return {
        inbound_enabled: settings.ci_inbound_job_token_scope_enabled,
        outbound_enabled: settings.ci_job_token_scope_enabled,
      };
    },
  });

  room.patch(path, {
    summary: 'Keep the job tokens of other projects out, but those of the allow list, or let all in',
    params: params({ id, enabled: param.boolean() }),
    responses: { 204: null },
    guard,
    handler: async ({ caller, guarded, params: { enabled } }) => {
      await updateProject(core, caller, guarded, {
        settings: { ci_inbound_job_token_scope_enabled: enabled },
      });
      return noContent();
    },
  });
}

function projectRoutes(api: CoreApi, core: Core): void {
  const room = api.room(TAG);
  const path = '/projects/:id/job_token_scope/allowlist';
  const guard = core.guards.project('admin_project');

  room.get(path, {
    summary: 'Projects whose jobs are let in: the project itself first',
    params: params({ id, ...pageParams }),
    responses: { 200: Type.Array(ProjectBasic) },
    guard,
    handler: async (call) => {
      const { project } = call.guarded;
      const ids = [project.id, ...(await allowedProjectIds(core.db, project.id))];
      const shown = await presentBasicProjects(core, call.caller, await findProjectsByIds(core.db, ids));
      const byId = new Map(shown.map((entity) => [entity.id, entity]));
      return sliceAnswer(
        call,
        pageOf(call.params),
        ids.flatMap((each) => byId.get(each) ?? []),
        (entity) => entity,
      );
    },
  });

  room.post(path, {
    summary: 'Let the jobs of a project in',
    params: params({ id, target_project_id: param.integer() }),
    responses: { 201: Type.Object({ source_project_id: Type.Integer(), target_project_id: Type.Integer() }) },
    guard,
    handler: async ({ caller, guarded: { project }, params: { target_project_id: from } }) => {
      const source = await findProjectById(core.db, from);
      const access = source && (await core.access.project(caller, source));
      if (!access?.visible) throw fail.notFound('Target Project');
      const there = await allowedProjectIds(core.db, project.id);
      await allowSource(core, project.id, { projectId: from }, there.length);
      return { source_project_id: project.id, target_project_id: from };
    },
  });

  room.delete(`${path}/:target_project_id`, {
    summary: 'Keep the jobs of a project out again',
    params: params({ id, target_project_id: param.integer() }),
    responses: { 204: null },
    guard,
    handler: async ({ guarded: { project }, params: { target_project_id: projectId } }) => {
      await disallowSource(core, project.id, { projectId });
      return noContent();
    },
  });
}

function groupRoutes(api: CoreApi, core: Core): void {
  const room = api.room(TAG);
  const path = '/projects/:id/job_token_scope/groups_allowlist';
  const guard = core.guards.project('admin_project');

  room.get(path, {
    summary: 'Groups whose projects’ jobs are let in',
    params: params({ id, ...pageParams }),
    responses: { 200: Type.Array(Group) },
    guard,
    handler: async (call) => {
      const ids = await allowedGroupIds(core.db, call.guarded.project.id);
      const groups = await findNamespacesByIds(core.db, ids);
      const entities = await presentGroups(
        core,
        ids.flatMap((each) => groups.get(each) ?? []),
      );
      return sliceAnswer(call, pageOf(call.params), entities, (entity) => entity);
    },
  });

  room.post(path, {
    summary: 'Let the jobs of all projects of a group in',
    params: params({ id, target_group_id: param.integer() }),
    responses: { 201: Type.Object({ source_project_id: Type.Integer(), target_group_id: Type.Integer() }) },
    guard,
    handler: async ({ caller, guarded: { project }, params: { target_group_id: groupId } }) => {
      const group = await findGroup(core.db, String(groupId));
      const access = group && (await core.access.group(caller, group));
      if (!access?.visible) throw fail.notFound('Target Group');
      const there = await allowedGroupIds(core.db, project.id);
      await allowSource(core, project.id, { groupId }, there.length);
      return { source_project_id: project.id, target_group_id: groupId };
    },
  });

  room.delete(`${path}/:target_group_id`, {
    summary: 'Keep the jobs of a group’s projects out again',
    params: params({ id, target_group_id: param.integer() }),
    responses: { 204: null },
    guard,
    handler: async ({ guarded: { project }, params: { target_group_id: groupId } }) => {
      await disallowSource(core, project.id, { groupId });
      return noContent();
    },
  });
}
