import type { Core, CoreApi } from '../../core/core.ts';
import { isoTime } from '../../core/entities.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { Job } from '../jobs/entity.ts';
import { presentJobs } from '../jobs/present.ts';
import { passOn } from './resource-groups.ts';
import {
  countResourceGroups,
  currentJob,
  findResourceGroup,
  listResourceGroups,
  setProcessMode,
  waitingJobs,
} from './resource-store.ts';
import { PROCESS_MODES, type ResourceGroupRow } from './tables.ts';

const ResourceGroup = Type.Object(
  {
    id: Type.Integer(),
    key: Type.String(),
    process_mode: Type.String(),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { $id: 'ResourceGroup' },
);

const one = { id: param.string(), key: param.string({ description: 'Name of the group.' }) };

/** Groups of jobs of which one at a time is under way. They come about with the first job that names them. */
export function resourceGroupRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('resource groups');
  const { db } = core;
  const guard = core.guards.project('read_build');

  const find = async (projectId: number, key: string) => {
    const group = await findResourceGroup(db, { projectId, key });
    if (!group) throw fail.notFound();
    return group;
  };

  routes.get('/projects/:id/resource_groups', {
    summary: 'List the resource groups of a project',
    params: params({ id: param.string(), ...pageParams }),
    responses: { 200: Type.Array(ResourceGroup) },
    guard,
    handler: async (call) => {
      const page = pageOf(call.params);
      const { id } = call.guarded.project;
      const total = await countResourceGroups(db, id);
      const rows = await listResourceGroups(db, id, { limit: page.perPage, offset: page.offset });
      return pageAnswer(call, page, rows.map(present), { total });
    },
  });

  routes.get('/projects/:id/resource_groups/:key', {
    summary: 'Read a resource group',
    params: params(one),
    responses: { 200: ResourceGroup },
    guard,
    handler: async ({ guarded, params: { key } }) => present(await find(guarded.project.id, key)),
  });

  routes.put('/projects/:id/resource_groups/:key', {
    summary: 'Say which of the jobs that wait for a resource is next',
    params: params({ ...one, process_mode: optional(param.oneOf(PROCESS_MODES)) }),
    responses: { 200: ResourceGroup },
    guard: core.guards.project('update_build'),
    handler: async ({ guarded, params: { key, process_mode: mode } }) => {
      const group = await find(guarded.project.id, key);
      if (!mode || mode === group.process_mode) return present(group);
      const changed = await setProcessMode(db, group.id, { mode, now: core.clock.now() });
      if (!changed) throw fail.notFound();
      await passOn(core, { projectId: guarded.project.id, key });
      return present(changed);
    },
  });

  routes.get('/projects/:id/resource_groups/:key/current_job', {
    summary: 'The job that has the resource',
    params: params(one),
    responses: { 200: Job },
    guard,
    handler: async ({ guarded: { project }, params: { key }, baseUrl }) => {
      await find(project.id, key);
      const job = await currentJob(db, { projectId: project.id, key });
      const [entity] = job ? await presentJobs(core, { project, baseUrl }, [job]) : [];
      if (!entity) throw fail.notFound('Job');
      return entity;
    },
  });

  routes.get('/projects/:id/resource_groups/:key/upcoming_jobs', {
    summary: 'The jobs that wait for a resource',
    params: params({ ...one, ...pageParams }),
    responses: { 200: Type.Array(Job) },
    guard,
    handler: async (call) => {
      const { project } = call.guarded;
      const page = pageOf(call.params);
      const { process_mode: mode } = await find(project.id, call.params.key);
      const key = { projectId: project.id, key: call.params.key };
      const found = await waitingJobs(db, key, { mode, limit: page.perPage + 1, offset: page.offset });
      const rows = found.slice(0, page.perPage);
      const body = await presentJobs(core, { project, baseUrl: call.baseUrl }, rows);
      return pageAnswer(call, page, body, { hasNext: found.length > rows.length });
    },
  });
}

const present = (row: ResourceGroupRow): Static<typeof ResourceGroup> => ({
  id: row.id,
  key: row.key,
  process_mode: row.process_mode,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});
