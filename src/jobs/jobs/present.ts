import type { Core } from '../../core/core.ts';
import { isoTime, isoTimeOrNull } from '../../core/entities.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import { presentCommit } from '../../core/repository/commit-entity.ts';
import { presentProfile } from '../../core/users/entities.ts';
import { presentFiles } from '../artifacts/entities.ts';
import { presentPipelineBasic } from '../entities.ts';
import { presentManager, presentRunner } from '../runners/entities.ts';
import type { JobRow } from '../tables.ts';
import type { JobEntity } from './entity.ts';
import { type Surroundings, surroundingsOf } from './surroundings.ts';

export interface JobPlace {
  project: ProjectWithNamespace;
  /** No slash at the end. */
  baseUrl: string;
}

type Deps = Pick<Core, 'db' | 'repositoryOf' | 'clock'>;

/** Jobs of one project as clients see them, in the same order. */
export async function presentJobs(
  core: Deps,
  place: JobPlace,
  jobs: readonly JobRow[],
): Promise<JobEntity[]> {
  const around = await surroundingsOf(core, place.project, jobs);
  const now = core.clock.now();
  return jobs.flatMap((job) => presentJobAmong(job, place, around, now) ?? []);
}

/** One of them. Throws when its pipeline is gone, which only a job that is gone too can meet. */
export async function presentJob(core: Deps, place: JobPlace, job: JobRow): Promise<JobEntity> {
  const [entity] = await presentJobs(core, place, [job]);
  if (!entity) throw new Error(`job ${job.id} has no pipeline`);
  return entity;
}

/** The answers of `erase` and `keep` say where the archive is to be had, as long as there is one. */
export function withDownloadUrl(entity: JobEntity, { project, baseUrl }: JobPlace): JobEntity {
  const url = `${baseUrl}/api/v4/projects/${project.id}/jobs/${entity.id}/artifacts`;
  return { ...entity, download_url: entity.artifacts_file ? url : null };
}

/** Null where the pipeline was deleted between the two reads. */
function presentJobAmong(job: JobRow, place: JobPlace, around: Surroundings, now: number): JobEntity | null {
  const { project, baseUrl } = place;
  const pipeline = around.pipelines.get(job.pipeline_id);
  if (!pipeline) return null;
  const user = job.user_id === null ? undefined : around.users.get(job.user_id);
  const commit = around.commits.get(pipeline.sha);
  return {
    id: job.id,
    status: job.status,
    stage: job.stage,
    name: job.name,
    ref: job.ref,
    tag: job.tag === 1,
    coverage: job.coverage,
    allow_failure: job.allow_failure === 1,
    created_at: isoTime(job.created_at),
    started_at: isoTimeOrNull(job.started_at),
    finished_at: isoTimeOrNull(job.finished_at),
    erased_at: isoTimeOrNull(job.erased_at),
    ...durationsOf(job, now),
    user: user ? presentProfile(user, baseUrl) : null,
    commit: commit ? presentCommit(commit, place) : null,
    pipeline: presentPipelineBasic(pipeline, place),
    ...(job.status === 'failed' && { failure_reason: job.failure_reason ?? 'unknown_failure' }),
    web_url: `${baseUrl}/${project.full_path}/-/jobs/${job.id}`,
    project: { ci_job_token_scope_enabled: projectSettings(project).ci_job_token_scope_enabled },
    ...presentFiles(around.artifacts.get(job.id) ?? [], now),
    ...takerOf(job, place, around, now),
    artifacts_expire_at: isoTimeOrNull(job.artifacts_expire_at),
    archived: false, // GitLab's limit on the age of jobs that can be retried, which is off by default
    tag_list: JSON.parse(job.tags) as string[],
  };
}

/** In seconds: while it runs or waits, up to now. */
function durationsOf(job: JobRow, now: number) {
  const { started_at: started, finished_at: finished, queued_at: queued, status } = job;
  const waited = started ?? (status === 'pending' ? now : null);
  return {
    duration: started === null ? null : seconds((finished ?? now) - started),
    queued_duration: queued === null || waited === null ? null : seconds(waited - queued),
  };
}

const seconds = (ms: number): number => Math.max(0, ms) / 1000;

function takerOf(job: JobRow, { baseUrl }: JobPlace, around: Surroundings, now: number) {
  const runner = job.runner_id === null ? undefined : around.runners.get(job.runner_id);
  const manager = job.runner_manager_id === null ? undefined : around.managers.get(job.runner_manager_id);
  const busy = runner !== undefined && around.busy.has(runner.id);
  const creator = runner?.creator_id == null ? undefined : around.users.get(runner.creator_id);
  const context = { now, baseUrl, creator, busy, manager: runner && around.latest.get(runner.id) };
  return {
    runner: runner ? presentRunner(runner, context) : null,
    runner_manager: manager ? presentManager(manager, { now, busy }) : null,
  };
}
