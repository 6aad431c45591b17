import type { Caller } from '../../core/caller.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import { findProjectsByIds } from '../../core/projects/store.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { nullable, param, params } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { PipelineBasic, presentPipelineBasic } from '../entities.ts';
import { Job, type JobEntity } from '../jobs/entity.ts';
import { presentJobs } from '../jobs/present.ts';
import { scopeOf, scopeParam, scopeProblems } from '../jobs/scope.ts';
import { findPipeline } from '../pipeline-store.ts';
import type { JobRow } from '../tables.ts';
import { countBridges, downstreamOfMany, listBridges } from './store.ts';

/** What only a job has that runs. */
const OF_RUNNERS = [
  'artifacts_file',
  'artifacts',
  'runner',
  'runner_manager',
  'artifacts_expire_at',
  'archived',
  'tag_list',
  'download_url',
] as const;

const Bridge = Type.Object(
  {
    ...Type.Omit(Job, OF_RUNNERS).properties,
    downstream_pipeline: nullable(PipelineBasic),
  },
  { $id: 'Bridge' },
);

/** Jobs that begin other pipelines. */
export function bridgeRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('pipelines');
  const { db } = core;
  for (const name of ['bridges', 'trigger_jobs']) {
    routes.get(`/projects/:id/pipelines/:pipeline_id/${name}`, {
      summary: 'List the jobs of a pipeline that begin other pipelines',
      params: params({ id: param.string(), pipeline_id: param.integer(), scope: scopeParam, ...pageParams }),
      responses: { 200: Type.Array(Bridge) },
      jobToken: true,
      guard: core.guards.project('read_pipeline', 'read_build'),
      check: (raw) => scopeProblems(raw, { hash: false }),
      handler: async (call) => {
        const { project } = call.guarded;
        const { pipeline_id: pipelineId, scope } = call.params;
        if (!(await findPipeline(db, project.id, pipelineId))) throw fail.recordNotFound();
        const filter = { pipelineId, statuses: scopeOf(scope) };
        const page = pageOf(call.params);
        const rows = await listBridges(db, filter, { limit: page.perPage, offset: page.offset });
        const jobs = await presentJobs(core, { project, baseUrl: call.baseUrl }, rows);
        const downstream = await presentDownstream(core, rows, call.caller);
        const body = jobs.map((job) => presentBridge(job, downstream.get(job.id) ?? null));
        return pageAnswer(call, page, body, { total: await countBridges(db, filter) });
      },
    });
  }
}

function presentBridge(
  job: JobEntity,
  downstream: Static<typeof PipelineBasic> | null,
): Static<typeof Bridge> {
  const { artifacts_file, artifacts, runner, runner_manager, artifacts_expire_at, ...rest } = job;
  const { archived, tag_list, download_url, ...basic } = rest;
  return { ...basic, downstream_pipeline: downstream };
}

/** By the bridge's id; pipelines of projects where the caller may not see them are left out. */
async function presentDownstream(core: Core, bridges: readonly JobRow[], caller: Caller) {
  const pipelines = await downstreamOfMany(
    core.db,
    bridges.map(({ id }) => id),
  );
  const ids = [...new Set([...pipelines.values()].map((pipeline) => pipeline.project_id))];
  const projects = await findProjectsByIds(core.db, ids);
  const access = await core.access.projects(caller, projects);
  const shown = new Map<number, Static<typeof PipelineBasic>>();
  for (const [jobId, pipeline] of pipelines) {
    const project = projects.find(({ id }) => id === pipeline.project_id);
    if (!project || !access.get(project.id)?.can('read_pipeline')) continue;
    shown.set(jobId, presentPipelineBasic(pipeline, { project, baseUrl: core.baseUrl() }));
  }
  return shown;
}
