import { traversalIds } from '../../core/access/store.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import { findGroup } from '../../core/namespaces/find.ts';
import { findProject } from '../../core/projects/find.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import { fail } from '../../platform/errors.ts';
import { noContent } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { assignRunner, unassignRunner } from './assign.ts';
import { createRunner, type RunnerPlace } from './create.ts';
import { Runner, RunnerRegistration, RunnerToken } from './entities.ts';
import { runnerFieldParams } from './fields.ts';
import { runnerFilter, runnerFilterParams } from './filter-params.ts';
import { answerList } from './management-routes.ts';
import { presentRunners } from './present.ts';
import { resetRegistrationToken } from './registration-tokens.ts';
import { mayManage } from './rights.ts';
import { findRunner } from './store.ts';
import { RUNNER_TYPES, type RunnerType } from './tables.ts';

const scopes = ['manage_runner'] as const;
const id = param.string();

/** Runners of a project, a group and the instance: making them, lists of them, and the tokens by which they register. */
export function runnerPlaceRoutes(api: CoreApi, core: Core): void {
  creationRoute(api, core);
  projectRoutes(api, core);
  groupRoutes(api, core);
  tokenRoutes(api, core);
}

function creationRoute(api: CoreApi, core: Core): void {
  api.room('runners').post('/user/runners', {
    summary: 'Make a runner',
    description: 'The answer has the token that the runner is set up with; it is shown once.',
    params: params({
      runner_type: param.oneOf(RUNNER_TYPES),
      group_id: optional(param.integer({ description: 'Needed for `group_type`.' })),
      project_id: optional(param.integer({ description: 'Needed for `project_type`.' })),
      ...runnerFieldParams,
    }),
    check: missingPlace,
    responses: { 201: RunnerRegistration },
    scopes: ['create_runner'],
    handler: async ({ caller, params: asked }) => {
      const place = await placeAsked(core, caller, asked);
      const { runner, token } = await createRunner(core, place, { ...asked, creatorId: caller.user.id });
      return { id: runner.id, token, token_expires_at: null };
    },
  });
}

function missingPlace({ runner_type: type, group_id, project_id }: Record<string, unknown>): string[] {
  if (type === 'group_type' && group_id === undefined) return ['group_id is missing'];
  return type === 'project_type' && project_id === undefined ? ['project_id is missing'] : [];
}

/** Throws 404 for a place that the caller may not know of, 403 where he may not make runners. */
async function placeAsked(
  core: Core,
  caller: Caller,
  asked: { runner_type: RunnerType; group_id?: number | null; project_id?: number | null },
): Promise<RunnerPlace> {
  switch (asked.runner_type) {
    case 'instance_type':
      if (!caller.admin) throw fail.forbidden('Insufficient permissions');
      return { type: 'instance_type' };
    case 'group_type': {
      const group = await findGroup(core.db, String(asked.group_id));
      const access = group && (await core.access.group(caller, group));
      if (!access?.visible) throw fail.notFound('Group');
      if (!access.can('admin_group')) throw fail.forbidden('Insufficient permissions');
      return { type: 'group_type', groupId: access.group.id };
    }
    case 'project_type': {
      const found = await findProject(core.db, String(asked.project_id));
      const access = found && (await core.access.project(caller, found.project));
      if (!found || !access?.visible) throw fail.notFound('Project');
      if (!access.can('admin_project')) throw fail.forbidden('Insufficient permissions');
      return { type: 'project_type', projectId: found.project.id };
    }
  }
}

function projectRoutes(api: CoreApi, core: Core): void {
  const room = api.room('runners');
  const guard = core.guards.project('admin_project');

  room.get('/projects/:id/runners', {
    summary: 'Runners that work for a project: its own, its groups’ and the instance’s',
    params: params({ id, ...runnerFilterParams }),
    responses: { 200: Type.Array(Runner) },
    scopes,
    guard,
    handler: (call) => {
      const { project } = call.guarded;
      const { shared_runners_enabled: shared, group_runners_enabled: ofGroups } = projectSettings(project);
      const groupIds = traversalIds(project.traversal);
      const scope = { project: { id: project.id, groupIds, shared, ofGroups } };
      return answerList(core, call, runnerFilter(scope, call.params, core.clock.now()));
    },
  });

  room.post('/projects/:id/runners', {
    summary: 'Give a runner of one project to another',
    params: params({ id, runner_id: param.integer() }),
    responses: { 201: Runner },
    scopes,
    guard,
    handler: async ({ caller, params: asked, guarded: { project } }) => {
      const runner = await findRunner(core.db, asked.runner_id);
      if (!runner) throw fail.recordNotFound();
      if (runner.runner_type === 'instance_type') throw fail.forbidden('Runner is an instance runner');
      if (runner.runner_type === 'group_type') throw fail.forbidden('Runner is a group runner');
      if (!caller.admin && runner.locked === 1) throw fail.forbidden('Runner is locked');
      if (!(await mayManage(core, caller, runner))) throw fail.forbidden('No access granted');
      await assignRunner(core, runner.id, project.id);
      const [entity] = await presentRunners(core, [runner]);
      return entity;
    },
  });

  room.delete('/projects/:id/runners/:runner_id', {
    summary: 'Take a runner from a project',
    params: params({ id, runner_id: param.integer() }),
    responses: { 204: null },
    scopes,
    guard,
    handler: async ({ params: asked, guarded: { project } }) => {
      await unassignRunner(core, asked.runner_id, project.id);
      return noContent();
    },
  });
}

function groupRoutes(api: CoreApi, core: Core): void {
  api.room('runners').get('/groups/:id/runners', {
    summary: 'Runners that work for a group: its own, those of the groups above and the instance’s',
    params: params({ id, ...runnerFilterParams }),
    responses: { 200: Type.Array(Runner) },
    scopes,
    guard: core.guards.group('admin_group'),
    handler: (call) => {
      const groupIds = traversalIds(call.guarded.group.traversal);
      const scope = { group: { groupIds, shared: true } };
      return answerList(core, call, runnerFilter(scope, call.params, core.clock.now()));
    },
  });
}

function tokenRoutes(api: CoreApi, core: Core): void {
  const room = api.room('runners');
  const reset = async (place: RunnerPlace) => ({
    token: await resetRegistrationToken(core, place),
    token_expires_at: null,
  });

  room.post('/runners/reset_registration_token', {
    summary: 'Another token for registering runners of the instance (administrators)',
    params: params({}),
    responses: { 201: RunnerToken },
    guard: core.guards.admin,
    handler: () => reset({ type: 'instance_type' }),
  });

  room.post('/groups/:id/runners/reset_registration_token', {
    summary: 'Another token for registering runners of a group',
    params: params({ id }),
    responses: { 201: RunnerToken },
    guard: core.guards.group('admin_group'),
    handler: ({ guarded: { group } }) => reset({ type: 'group_type', groupId: group.id }),
  });

  room.post('/projects/:id/runners/reset_registration_token', {
    summary: 'Another token for registering runners of a project',
    params: params({ id }),
    responses: { 201: RunnerToken },
    guard: core.guards.project('admin_project'),
    handler: ({ guarded: { project } }) => reset({ type: 'project_type', projectId: project.id }),
  });
}
