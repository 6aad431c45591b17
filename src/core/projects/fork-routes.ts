import { fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import type { Core, CoreApi } from '../core.ts';
import { Project } from './entities.ts';
import { findProject } from './find.ts';
import { forkProject } from './fork.ts';
import { VISIBILITIES } from './params.ts';
import { presentProject } from './present.ts';
import { findProjectById, setOrigin } from './store.ts';

/** Forks, and the bond between a fork and its origin. */
export function forkRoutes(api: CoreApi, core: Core): void {
  const room = api.room('projects');

  room.post('/projects/:id/fork', {
    summary: 'Fork a project, into the own namespace or another',
    params: params(
      {
        id: param.string(),
        namespace: optional(param.string({ description: 'Number or path; deprecated.' })),
        namespace_id: optional(param.integer()),
        namespace_path: optional(param.string()),
        path: optional(param.string()),
        name: optional(param.string()),
        description: optional(param.string()),
        visibility: optional(param.oneOf(VISIBILITIES)),
        mr_default_target_self: optional(param.boolean()),
        branches: optional(param.string({ description: 'The one branch to fork; all of them when empty.' })),
      },
      { mutuallyExclusive: [['namespace_id', 'namespace_path']] },
    ),
    responses: { 201: Project },
    guard: core.guards.project('read_project'),
    handler: async ({ caller, params, guarded }) => {
      const project = await forkProject(core, caller, guarded, {
        namespace: params.namespace,
        namespaceId: params.namespace_id,
        namespacePath: params.namespace_path,
        name: params.name,
        path: params.path,
        description: params.description,
        visibility: params.visibility,
        onlyBranch: params.branches,
        mrDefaultTargetSelf: params.mr_default_target_self,
      });
      return presentProject(core, caller, project);
    },
  });

  room.post('/projects/:id/fork/:forked_from_id', {
    summary: 'Say that a project is a fork of another',
    params: params({ id: param.string(), forked_from_id: param.string() }),
    responses: { 201: Project },
    guard: core.guards.project('remove_project'),
    handler: async ({ caller, params, guarded: { project } }) => {
      const found = await findProject(core.db, params.forked_from_id);
      const origin = found && (await core.access.project(caller, found.project));
      if (!found || !origin?.visible || found.project.id === project.id) {
        throw fail.notFound('Source Project');
      }
      origin.demand('fork_project');
      if (project.forked_from_id !== null) throw fail.conflict('Project already forked');
      await core.database.transaction((tx) => setOrigin(tx, project.id, found.project.id));
      return presentProject(core, caller, (await findProjectById(core.db, project.id))!);
    },
  });

  room.delete('/projects/:id/fork', {
    summary: 'Take the bond between a fork and its origin away',
    params: params({ id: param.string() }),
    responses: { 204: null, 304: null },
    guard: core.guards.project('remove_project'),
    handler: async ({ guarded: { project } }) => {
      if (project.forked_from_id === null) return new Answer(304, undefined);
      await core.database.transaction((tx) => setOrigin(tx, project.id, null));
      return undefined;
    },
  });
}
