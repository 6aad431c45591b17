import { fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { nullable, optional, param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';
import { projectStream } from '../events.ts';
import { share, unshare } from '../groups/share.ts';
import { findNamespace } from '../namespaces/find.ts';
import { Project } from './entities.ts';
import { presentProject } from './present.ts';
import { transferProject } from './transfer.ts';
import { updateProject } from './update.ts';

const ProjectGroupLink = Type.Object(
  {
    id: Type.Integer(),
    project_id: Type.Integer(),
    group_id: Type.Integer(),
    group_access: Type.Integer(),
    expires_at: nullable(Type.String({ format: 'date' })),
  },
  { $id: 'ProjectGroupLink' },
);

/** What is done to a project beyond changing its fields: archiving, moving, sharing, tidying up. */
export function projectActionRoutes(api: CoreApi, core: Core): void {
  const room = api.room('projects');

  for (const [verb, archived] of [
    ['archive', true],
    ['unarchive', false],
  ] as const) {
    room.post(`/projects/:id/${verb}`, {
      summary: archived ? 'Make a project read-only' : 'Make a project writable again',
      params: params({ id: param.string() }),
      responses: { 201: Project },
      guard: core.guards.project('archive_project'),
      handler: async ({ caller, guarded }) =>
        presentProject(core, caller, await updateProject(core, caller, guarded, { archived })),
    });
  }

  room.put('/projects/:id/transfer', {
    summary: 'Move a project to another namespace',
    params: params({ id: param.string(), namespace: param.string({ description: 'Number or path.' }) }),
    responses: { 200: Project },
    guard: core.guards.project('transfer_project'),
    handler: async ({ caller, params, guarded }) => {
      const namespace = await findNamespace(core.db, params.namespace);
      if (!namespace) throw fail.notFound('Namespace');
      const project = await transferProject(core, caller, guarded.project, namespace);
      return presentProject(core, caller, project);
    },
  });

  room.post('/projects/:id/share', {
    summary: 'Share a project with a group',
    params: params({
      id: param.string(),
      group_id: param.integer(),
      group_access: param.oneOfNumbers([10, 15, 20, 30, 40, 50]),
      expires_at: optional(param.date()),
    }),
    responses: { 201: ProjectGroupLink },
    guard: core.guards.project('admin_members'),
    handler: async ({ caller, params, guarded: { project, access } }) => {
      const shared = { projectId: project.id, ownLevel: access.level };
      const link = await share(core, caller, shared, {
        groupId: params.group_id,
        level: params.group_access,
        expiresAt: params.expires_at ?? null,
      });
      return {
        id: link.id,
        project_id: project.id,
        group_id: link.shared_with_id,
        group_access: link.access_level,
        expires_at: link.expires_at,
      };
    },
  });

  room.delete('/projects/:id/share/:group_id', {
    summary: 'Stop sharing a project with a group',
    params: params({ id: param.string(), group_id: param.integer() }),
    responses: { 204: null },
    guard: core.guards.project('admin_members'),
    handler: ({ params, guarded }) => unshare(core, { projectId: guarded.project.id }, params.group_id),
  });

  room.post('/projects/:id/housekeeping', {
    summary: 'Have the repository tidied up soon',
    params: params({ id: param.string(), task: optional(param.oneOf(['prune', 'eager'])) }),
    responses: { 201: Type.Null() },
    guard: core.guards.project('admin_project'),
    handler: async ({ guarded: { project } }) => {
      const event = {
        type: 'project.housekeeping',
        stream: projectStream(project.id),
        payload: { projectId: project.id },
      } as const;
      await core.database.transaction((tx) => core.events.publish(tx, event));
      return new Answer(201, null);
    },
  });
}
