import type { Core, CoreApi } from '../../core/core.ts';
import { resolveRevision } from '../../git/revision.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { Pipeline, PipelineListed, presentPipelineListed } from '../entities.ts';
import { JOB_STATUSES, PIPELINE_SOURCES } from '../states.ts';
import { removePipeline } from './delete.ts';
import { filterOf } from './filter.ts';
import { countPipelines, listPipelines } from './list-store.ts';
import { present } from './present.ts';
import { findPipeline, newestPipeline } from './store.ts';

/** One of these, or left out. */
const choice = <const V extends string>(values: readonly V[], description?: string) =>
  optional(param.oneOf(values, description ? { description } : {}));

const listParams = params({
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
  scope: choice(['running', 'pending', 'finished', 'branches', 'tags']),
  status: choice(JOB_STATUSES),
  ref: optional(param.string()),
  sha: optional(param.string()),
  yaml_errors: optional(
    param.boolean({ description: 'Only those with, or without, a broken configuration.' }),
  ),
  username: optional(param.string({ description: 'Of the user who began it.' })),
  updated_before: optional(param.dateTime()),
  updated_after: optional(param.dateTime()),
  created_before: optional(param.dateTime()),
  created_after: optional(param.dateTime()),
  order_by: withDefault(param.oneOf(['id', 'status', 'ref', 'updated_at', 'user_id']), 'id'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
  source: choice(PIPELINE_SOURCES),
  name: optional(param.string({ description: 'Name of the pipeline.' })),
  ...pageParams,
});

const one = params({ id: param.string(), pipeline_id: param.integer() });

/** Pipelines as rows: list, read, delete. */
export function pipelineRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('pipelines');
  const { db } = core;

  routes.get('/projects/:id/pipelines', {
    summary: 'List the pipelines of a project',
    params: listParams,
    responses: { 200: Type.Array(PipelineListed) },
    jobToken: true,
    guard: core.guards.project('read_pipeline'),
    handler: async (call) => {
      const { project } = call.guarded;
      const page = pageOf(call.params);
      const filter = await filterOf(core, project, call.params);
      const total = await countPipelines(db, filter);
      const { order_by: order, sort: direction } = call.params;
      const { perPage: limit, offset } = page;
      const rows = total > offset ? await listPipelines(db, filter, { order, direction, limit, offset }) : [];
      const body = rows.map((row) => presentPipelineListed(row, { project, baseUrl: call.baseUrl }));
      return pageAnswer(call, page, body, { total });
    },
  });

  routes.get('/projects/:id/pipelines/latest', {
    summary: 'The newest pipeline of the newest commit of a branch or tag',
    params: params({ id: param.string(), ref: optional(param.string()) }),
    responses: { 200: Pipeline },
    jobToken: true,
    guard: core.guards.project('read_pipeline'),
    handler: async ({ guarded: { project }, params: { ref }, baseUrl, signal }) => {
      const name = ref || project.default_branch;
      const sha = name && (await resolveRevision(core.repositoryOf(project), name, signal));
      const pipeline = sha && (await newestPipeline(db, { projectId: project.id, sha, ref: name }));
      // GitLab asks for the right to read a pipeline that is not there, and says so
      if (!pipeline) throw fail.forbidden();
      return present(core, { project, baseUrl, pipeline });
    },
  });

  routes.get('/projects/:id/pipelines/:pipeline_id', {
    summary: 'Read a pipeline',
    params: one,
    responses: { 200: Pipeline },
    jobToken: true,
    guard: core.guards.project('read_pipeline'),
    handler: async ({ guarded: { project }, params: { pipeline_id }, baseUrl }) => {
      const pipeline = await findPipeline(db, project.id, pipeline_id);
      if (!pipeline) throw fail.recordNotFound();
      return present(core, { project, baseUrl, pipeline });
    },
  });

  routes.delete('/projects/:id/pipelines/:pipeline_id', {
    summary: 'Delete a pipeline with its jobs',
    params: one,
    responses: { 204: null },
    guard: core.guards.project('read_pipeline'),
    handler: async ({ guarded: { project, access }, params: { pipeline_id }, caller, headers }) => {
      const pipeline = await findPipeline(db, project.id, pipeline_id);
      if (!pipeline) throw fail.recordNotFound();
      access.demand('admin_build');
      demandUnmodified(headers, pipeline.updated_at);
      await removePipeline(core, pipeline, caller.user.id);
    },
  });
}
