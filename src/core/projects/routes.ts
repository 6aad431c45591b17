import { fail } from '../../platform/errors.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';
import { Accepted, accepted } from '../entities.ts';
import { chosenJobLimits, jobLimitParams } from '../settings/job-limits.ts';
import { findUser } from '../users/store.ts';
import { createProject, type NewProject } from './create.ts';
import { Project } from './entities.ts';
import { languagesOf } from './languages.ts';
import { chosenSettings, projectSettingParams, VISIBILITIES } from './params.ts';
import { presentProject } from './present.ts';
import { removeProject } from './remove.ts';
import { updateProject } from './update.ts';

const describing = {
  description: optional(param.string()),
  visibility: optional(param.oneOf(VISIBILITIES)),
  default_branch: optional(param.string()),
};

const creation = {
  name: optional(param.string()),
  path: optional(param.string()),
  namespace_id: optional(param.integer()),
  ...describing,
  initialize_with_readme: optional(param.boolean()),
  import_url: optional(param.string()),
  ...projectSettingParams,
};

const creationParams = params(creation, { atLeastOneOf: [['name', 'path']] });

/** Making, reading, changing and deleting one project. */
export function projectRoutes(api: CoreApi, core: Core): void {
  const room = api.room('projects');

  room.post('/projects', {
    summary: 'Create a project',
    params: creationParams,
    responses: { 201: Project },
    handler: async ({ caller, params }) => {
      const project = await createProject(core, caller, newProject(params));
      return presentProject(core, caller, project);
    },
  });

  room.post('/projects/user/:user_id', {
    summary: 'Create a project for somebody else, as an administrator',
    params: params({ user_id: param.integer(), ...creation }, { atLeastOneOf: [['name', 'path']] }),
    responses: { 201: Project },
    guard: core.guards.admin,
    handler: async ({ caller, params }) => {
      const user = await findUser(core.db, params.user_id);
      if (!user) throw fail.notFound('User');
      const actor = { user, admin: user.is_admin === 1 };
      const project = await createProject(core, actor, newProject(params));
      return presentProject(core, caller, project);
    },
  });

  room.get('/projects/:id', {
    summary: 'One project',
    params: params({
      id: param.string(),
      statistics: optional(param.boolean()),
      license: optional(param.boolean()),
      with_custom_attributes: optional(param.boolean()),
    }),
    responses: { 200: Project },
    guard: core.guards.project('read_project'),
    handler: async ({ caller, params, guarded: { project, access } }) => {
      const statistics = params.statistics ?? false;
      const entity = await presentProject(core, caller, project, { statistics });
      if (!access.can('admin_project')) return entity;
      return { ...entity, runners_token: await core.projectFigures.runnersToken({ projectId: project.id }) };
    },
  });

  room.get('/projects/:id/languages', {
    summary: 'Languages of the default branch, in per cent of its code',
    params: params({ id: param.string() }),
    responses: { 200: Type.Record(Type.String(), Type.Number()) },
    guard: core.guards.project('read_code'),
    handler: ({ guarded }) => languagesOf(core, guarded.project),
  });

  room.put('/projects/:id', {
    summary: 'Change a project',
    params: params({
      id: param.string(),
      name: optional(param.string()),
      path: optional(param.string()),
      ...describing,
      archived: optional(param.boolean()),
      ...projectSettingParams,
      ...jobLimitParams,
    }),
    responses: { 200: Project },
    guard: core.guards.project('admin_project'),
    handler: async ({ caller, params, guarded }) => {
      const { name, path, description, visibility, default_branch: defaultBranch, archived } = params;
      const settings = { ...chosenSettings(params), ...chosenJobLimits(caller, params) };
      const wanted = { name, path, description, visibility, defaultBranch, archived, settings };
      const project = await updateProject(core, caller, guarded, wanted);
      return presentProject(core, caller, project);
    },
  });

  room.delete('/projects/:id', {
    summary: 'Delete a project, at once',
    params: params({ id: param.string() }),
    responses: { 202: Accepted },
    guard: core.guards.project('remove_project'),
    handler: async ({ caller, guarded, headers }) => {
      demandUnmodified(headers, guarded.project.updated_at);
      await core.database.transaction((tx) => removeProject(core, tx, guarded.project, caller.user.id));
      return accepted();
    },
  });
}

type CreationParams = Parameters<typeof chosenSettings>[0] & {
  name?: string | null | undefined;
  path?: string | null | undefined;
  namespace_id?: number | null | undefined;
  description?: string | null | undefined;
  visibility?: NewProject['visibility'];
  default_branch?: string | null | undefined;
  initialize_with_readme?: boolean | null | undefined;
  import_url?: string | null | undefined;
};

function newProject(params: CreationParams): NewProject {
  if (params.import_url) {
    throw fail.invalid({ import_url: ['is not supported: push the repository instead'] });
  }
  return {
    name: params.name,
    path: params.path,
    namespaceId: params.namespace_id,
    description: params.description,
    visibility: params.visibility,
    defaultBranch: params.default_branch,
    initializeWithReadme: params.initialize_with_readme,
    settings: chosenSettings(params),
  };
}
