import { fail } from '../../platform/errors.ts';
import { param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Caller } from '../caller.ts';
import type { Core, CoreApi } from '../core.ts';
import { findPersonalNamespace } from '../namespaces/store.ts';
import type { User } from '../tables.ts';
import { findUserByReference } from '../users/store.ts';
import { Project, ProjectBasic } from './entities.ts';
import { answerProjectList, projectListParams } from './list.ts';

export const ProjectList = Type.Array(Type.Union([Project, ProjectBasic]));

/** Lists of projects: all, of a person, starred by a person, forked from a project. */
export function projectListRoutes(api: CoreApi, core: Core): void {
  const room = api.room('projects');

  room.get('/projects', {
    summary: 'Projects that the caller may see',
    params: params(projectListParams),
    responses: { 200: ProjectList },
    handler: (call) => answerProjectList(core, call),
  });

  room.get('/users/:user_id/projects', {
    summary: 'Projects in the namespace of one person',
    params: params({ user_id: param.string(), ...projectListParams }),
    responses: { 200: ProjectList },
    guard: userGuard(core),
    handler: async (call) => {
      const namespace = await findPersonalNamespace(core.db, call.guarded.id);
      return answerProjectList(core, call, { namespaceIds: namespace ? [namespace.id] : [0] });
    },
  });

  room.get('/users/:user_id/starred_projects', {
    summary: 'Projects that one person has starred',
    params: params({ user_id: param.string(), ...projectListParams }),
    responses: { 200: ProjectList },
    guard: userGuard(core),
    handler: async (call) => {
      const { id, private_profile: hidden } = call.guarded;
      if (hidden && id !== call.caller.user.id && !call.caller.admin) throw fail.notFound('User');
      return answerProjectList(core, call, { starredBy: id });
    },
  });

  room.get('/projects/:id/forks', {
    summary: 'Forks of a project that the caller may see',
    params: params({ id: param.string(), ...projectListParams }),
    responses: { 200: ProjectList },
    guard: core.guards.project('read_project'),
    handler: (call) => answerProjectList(core, call, { forkedFrom: call.guarded.project.id }),
  });
}

const userGuard =
  (core: Core) =>
  async ({ path }: { path: Record<string, string>; caller: Caller }): Promise<User> => {
    const user = await findUserByReference(core.db, path['user_id'] ?? '');
    if (!user) throw fail.notFound('User');
    return user;
  };
