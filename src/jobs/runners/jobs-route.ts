import type { Core, CoreApi } from '../../core/core.ts';
import { findProjectsByIds } from '../../core/projects/store.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { Job } from '../jobs/entity.ts';
import { presentJobs } from '../jobs/present.ts';
import { JOB_STATUSES } from '../states.ts';
import type { JobRow } from '../tables.ts';
import { presentRunnerProject, RunnerProject } from './entities.ts';
import { listRunnerJobs } from './jobs-store.ts';
import { runnerGuard } from './rights.ts';

const RunnerJob = Type.Object({ ...Job.properties, project: RunnerProject }, { $id: 'RunnerJob' });

/** `GET /runners/:id/jobs`. */
export function runnerJobsRoute(api: CoreApi, core: Core): void {
  api.room('runners').get('/runners/:id/jobs', {
    summary: 'What a runner has done',
    params: params({
      id: param.integer({ description: 'Id of the runner.' }),
      status: optional(param.oneOf(JOB_STATUSES)),
      system_id: optional(param.string({ description: 'Only what this machine of it has done.' })),
      order_by: optional(param.oneOf(['id'])),
      sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
      ...pageParams,
    }),
    responses: { 200: Type.Array(RunnerJob) },
    scopes: ['manage_runner'],
    guard: runnerGuard(core, 'manage'),
    handler: async (call) => {
      const { status, system_id: systemId, sort } = call.params;
      const page = pageOf(call.params);
      const filter = {
        runnerId: call.guarded.id,
        viewer: core.access.viewer(call.caller),
        status: status ?? undefined,
        systemId: systemId ?? undefined,
      };
      const slice = { limit: page.perPage + 1, offset: page.offset, direction: sort };
      const rows = await listRunnerJobs(core.db, filter, slice);
      const shown = await withProjects(core, rows.slice(0, page.perPage));
      return pageAnswer(call, page, shown, { hasNext: rows.length > page.perPage });
    },
  });
}

/** Jobs of several projects, in the same order. */
async function withProjects(core: Core, jobs: readonly JobRow[]) {
  const projects = await findProjectsByIds(core.db, [...new Set(jobs.map((job) => job.project_id))]);
  const shown = await Promise.all(
    projects.map(async (project) => {
      const own = jobs.filter((job) => job.project_id === project.id);
      const entities = await presentJobs(core, { project, baseUrl: core.baseUrl() }, own);
      return entities.map((entity) => ({ ...entity, project: presentRunnerProject(project) }));
    }),
  );
  const byId = new Map(shown.flat().map((entity) => [entity.id, entity]));
  return jobs.flatMap(({ id }) => byId.get(id) ?? []);
}
