import { UserBasic } from '../../core/entities.ts';
import { CommitBasic } from '../../core/repository/commit-entity.ts';
import { profileFields } from '../../core/users/entities.ts';
import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { ArtifactEntry, ArtifactsFile } from '../artifacts/entities.ts';
import { PipelineBasic } from '../entities.ts';
import { Runner, RunnerManager } from '../runners/entities.ts';

/** Whoever began a job, as much of him as everybody sees. */
const JobUser = Type.Object({ ...UserBasic.properties, ...profileFields }, { $id: 'JobUser' });

/** A job as every route about jobs shows it. */
export const Job = Type.Object(
  {
    id: Type.Integer(),
    status: Type.String(),
    stage: Type.String(),
    name: Type.String(),
    ref: Type.String(),
    tag: Type.Boolean(),
    coverage: nullable(Type.Number()),
    allow_failure: Type.Boolean(),
    created_at: timestamp(),
    started_at: nullable(timestamp()),
    finished_at: nullable(timestamp()),
    erased_at: nullable(timestamp()),
    duration: nullable(Type.Number()),
    queued_duration: nullable(Type.Number()),
    user: nullable(JobUser),
    commit: nullable(CommitBasic),
    pipeline: PipelineBasic,
    failure_reason: Type.Optional(Type.String()),
    web_url: Type.String(),
    project: Type.Object({ ci_job_token_scope_enabled: Type.Boolean() }),
    artifacts_file: Type.Optional(ArtifactsFile),
    artifacts: Type.Array(ArtifactEntry),
    runner: nullable(Runner),
    runner_manager: nullable(RunnerManager),
    artifacts_expire_at: nullable(timestamp()),
    archived: Type.Boolean(),
    tag_list: Type.Array(Type.String()),
    download_url: Type.Optional(nullable(Type.String())),
  },
  { $id: 'Job' },
);

export type JobEntity = Static<typeof Job>;
