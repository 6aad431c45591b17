import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findProjectsByIds } from '../../core/projects/store.ts';
import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { PipelineBasic, presentPipelineBasic } from '../entities.ts';
import { Job, type JobEntity } from '../jobs/entity.ts';
import { type JobPlace, presentJobs } from '../jobs/present.ts';
import type { JobRow } from '../tables.ts';
import { downstreamOfMany } from './store.ts';

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

/** A job that begins another pipeline. */
export const Bridge = Type.Object(
  {
    ...Type.Omit(Job, OF_RUNNERS).properties,
    downstream_pipeline: nullable(PipelineBasic),
  },
  { $id: 'Bridge' },
);

export type BridgeEntity = Static<typeof Bridge>;
type Downstream = Static<typeof PipelineBasic>;

/** Bridges of one project as the caller sees them, in the same order. */
export async function presentBridges(
  core: Core,
  { caller, ...place }: JobPlace & { caller: Caller },
  rows: readonly JobRow[],
): Promise<BridgeEntity[]> {
  const jobs = await presentJobs(core, place, rows);
  const downstream = await presentDownstream(core, rows, caller);
  return jobs.map((job) => presentBridge(job, downstream.get(job.id) ?? null));
}

function presentBridge(job: JobEntity, downstream: Downstream | null): BridgeEntity {
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
  const shown = new Map<number, Downstream>();
  for (const [jobId, pipeline] of pipelines) {
    const project = projects.find(({ id }) => id === pipeline.project_id);
    if (!project || !access.get(project.id)?.can('read_pipeline')) continue;
    shown.set(jobId, presentPipelineBasic(pipeline, { project, baseUrl: core.baseUrl() }));
  }
  return shown;
}
