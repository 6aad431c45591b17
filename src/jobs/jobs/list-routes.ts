import type { Core, CoreApi } from '../../core/core.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import {
  decodeCursor,
  encodeCursor,
  keysetAnswer,
  keysetParams,
  pageAnswer,
  pageOf,
  pageParams,
} from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { findPipeline } from '../pipelines/store.ts';
import type { JobRow } from '../tables.ts';
import { Job } from './entity.ts';
import { countPipelineJobs, type JobFilter, listJobs, listPipelineJobs } from './list-store.ts';
import { presentJobs } from './present.ts';
import { scopeOf, scopeParam, scopeProblems } from './scope.ts';

const listParams = params({
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
  scope: scopeParam,
  name: optional(param.string({ description: 'Only jobs of exactly this name. Beside GitLab.' })),
  ref: optional(param.string({ description: 'Only jobs of this branch or tag. Beside GitLab.' })),
  created_after: optional(param.dateTime({ description: 'Only jobs made then or later. Beside GitLab.' })),
  created_before: optional(param.dateTime({ description: 'Only jobs made then or before. Beside GitLab.' })),
  ...pageParams,
  ...keysetParams,
});

const ofPipelineParams = params({
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
  pipeline_id: param.integer(),
  scope: scopeParam,
  include_retried: withDefault(
    param.boolean({ description: 'Also jobs that a newer one of their name stands for.' }),
    false,
  ),
  ...pageParams,
});

/** Jobs of a project and of a pipeline, newest first. */
export function jobListRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('jobs');
  const { db } = core;

  routes.get('/projects/:id/jobs', {
    summary: 'List the jobs of a project',
    description:
      'Counts nothing, so that no `X-Total` is sent. `pagination=keyset` pages by position: follow `Link`.',
    params: listParams,
    responses: { 200: Type.Array(Job) },
    guard: core.guards.project('read_build'),
    check: (raw) => scopeProblems(raw, { hash: true }),
    handler: async (call) => {
      const { params: asked, caller, baseUrl } = call;
      const perMinute = await core.settings.get('project_jobs_api_rate_limit');
      core.rateLimiter.check(`jobs:${caller.user.id}`, perMinute);
      const { project } = call.guarded;
      const filter: JobFilter = {
        projectId: project.id,
        statuses: scopeOf(asked.scope),
        name: asked.name,
        ref: asked.ref,
        createdAfter: asked.created_after,
        createdBefore: asked.created_before,
      };
      const present = (rows: JobRow[]) => presentJobs(core, { project, baseUrl }, rows);
      const page = pageOf(asked);
      const limit = page.perPage + 1;
      if (asked.pagination === 'keyset') {
        const beforeId = asked.cursor ? positionOf(asked.cursor) : undefined;
        const rows = await listJobs(db, filter, { beforeId, limit, offset: 0 });
        const shown = rows.slice(0, page.perPage);
        const last = rows.length > shown.length ? shown.at(-1) : undefined;
        return keysetAnswer(
          call,
          await present(shown),
          last ? { cursor: encodeCursor({ id: last.id }) } : null,
        );
      }
      const rows = await listJobs(db, filter, { limit, offset: page.offset });
      const shown = rows.slice(0, page.perPage);
      return pageAnswer(call, page, await present(shown), { hasNext: rows.length > shown.length });
    },
  });

  routes.get('/projects/:id/pipelines/:pipeline_id/jobs', {
    summary: 'List the jobs of a pipeline',
    params: ofPipelineParams,
    responses: { 200: Type.Array(Job) },
    jobToken: true,
    guard: core.guards.project('read_pipeline'),
    check: (raw) => scopeProblems(raw, { hash: false }),
    handler: async (call) => {
      const { project } = call.guarded;
      const { pipeline_id: pipelineId, scope, include_retried: retried } = call.params;
      if (!(await findPipeline(db, project.id, pipelineId))) throw fail.recordNotFound();
      const page = pageOf(call.params);
      const filter = { pipelineId, statuses: scopeOf(scope), retried };
      const total = await countPipelineJobs(db, filter);
      const { perPage: limit, offset } = page;
      const rows = total > offset ? await listPipelineJobs(db, filter, { limit, offset }) : [];
      const body = await presentJobs(core, { project, baseUrl: call.baseUrl }, rows);
      return pageAnswer(call, page, body, { total });
    },
  });
}

function positionOf(cursor: string): number {
  const { id } = decodeCursor(cursor);
  if (!Number.isSafeInteger(id)) throw new ApiError('invalid_params', { problems: 'cursor is invalid' });
  return id as number;
}
