import { isoTime, isoTimeOrNull, presentUserBasic, UserBasic } from '../core/entities.ts';
import type { Project, User } from '../core/tables.ts';
import { presentAuthor } from '../core/users/ghost.ts';
import { nullable, timestamp } from '../platform/http/params.ts';
import { type Static, Type } from '../platform/http/schema.ts';
import { DetailedStatus, presentDetailedStatus } from './pipelines/detailed-status.ts';
import type { StatusRow } from './statuses/store.ts';
import type { PipelineRow } from './tables.ts';

/** Pipelines and statuses as clients see them; keys in GitLab's order. */

const pipelineFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  sha: Type.String(),
  ref: Type.String(),
  status: Type.String(),
  source: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  web_url: Type.String(),
};

/** What other things show of their pipeline, `last_pipeline` of a commit for one. */
export const PipelineBasic = Type.Object(pipelineFields, { $id: 'PipelineBasic' });

export const PipelineListed = Type.Object(
  { ...pipelineFields, name: nullable(Type.String()) },
  { $id: 'PipelineListed' },
);

export const Pipeline = Type.Object(
  {
    ...pipelineFields,
    before_sha: Type.String(),
    tag: Type.Boolean(),
    yaml_errors: nullable(Type.String()),
    user: nullable(UserBasic),
    started_at: nullable(timestamp()),
    finished_at: nullable(timestamp()),
    committed_at: nullable(timestamp()),
    duration: nullable(Type.Integer()),
    queued_duration: nullable(Type.Integer()),
    coverage: nullable(Type.String()),
    detailed_status: DetailedStatus,
    archived: Type.Boolean(),
    name: nullable(Type.String()),
  },
  { $id: 'Pipeline' },
);

export const CommitStatus = Type.Object(
  {
    id: Type.Integer(),
    sha: Type.String(),
    ref: Type.String(),
    status: Type.String(),
    name: Type.String(),
    target_url: nullable(Type.String()),
    description: nullable(Type.String()),
    created_at: timestamp(),
    started_at: nullable(timestamp()),
    finished_at: nullable(timestamp()),
    allow_failure: Type.Boolean(),
    coverage: nullable(Type.Number()),
    pipeline_id: Type.Integer(),
    author: UserBasic,
  },
  { $id: 'CommitStatus' },
);

type Place = { project: Pick<Project, 'full_path'>; baseUrl: string };

export function presentPipelineBasic(
  pipeline: PipelineRow,
  { project, baseUrl }: Place,
): Static<typeof PipelineBasic> {
  return {
    id: pipeline.id,
    iid: pipeline.iid,
    project_id: pipeline.project_id,
    sha: pipeline.sha,
    ref: pipeline.ref,
    status: pipeline.status,
    source: pipeline.source,
    created_at: isoTime(pipeline.created_at),
    updated_at: isoTime(pipeline.updated_at),
    web_url: `${baseUrl}/${project.full_path}/-/pipelines/${pipeline.id}`,
  };
}

export const presentPipelineListed = (
  pipeline: PipelineRow,
  place: Place,
): Static<typeof PipelineListed> => ({
  ...presentPipelineBasic(pipeline, place),
  name: pipeline.name,
});

/** GitLab's word for "nothing was there before". */
const NO_COMMIT = '0'.repeat(40);

export function presentPipeline(
  pipeline: PipelineRow,
  {
    project,
    baseUrl,
    user,
    coverage,
    warned,
  }: Place & { user: User | undefined; coverage: number | null; warned: boolean },
): Static<typeof Pipeline> {
  const { started_at: started, created_at: created } = pipeline;
  return {
    ...presentPipelineBasic(pipeline, { project, baseUrl }),
    before_sha: pipeline.before_sha ?? NO_COMMIT,
    tag: pipeline.tag === 1,
    yaml_errors: pipeline.yaml_errors,
    user: user ? presentUserBasic(user, baseUrl) : null,
    started_at: isoTimeOrNull(started),
    finished_at: isoTimeOrNull(pipeline.finished_at),
    committed_at: null, // a column that GitLab itself no longer fills
    duration: pipeline.duration,
    queued_duration: started === null ? null : Math.floor((started - created) / 1000),
    coverage: coverage === null ? null : coverage.toFixed(2),
    detailed_status: presentDetailedStatus(pipeline, project, warned),
    archived: false, // GitLab's limit on the age of pipelines that can be retried, which is off by default
    name: pipeline.name,
  };
}

export function presentCommitStatus(
  status: StatusRow,
  { project, baseUrl, author }: Place & { author: User | undefined },
): Static<typeof CommitStatus> {
  const ownPage = `${baseUrl}/${project.full_path}/-/jobs/${status.id}`;
  return {
    id: status.id,
    sha: status.sha,
    ref: status.ref,
    status: status.status,
    name: status.name,
    target_url: status.kind === 'build' ? ownPage : status.target_url,
    description: status.description,
    created_at: isoTime(status.created_at),
    started_at: isoTimeOrNull(status.started_at),
    finished_at: isoTimeOrNull(status.finished_at),
    allow_failure: status.allow_failure === 1,
    coverage: status.coverage,
    pipeline_id: status.pipeline_id,
    author: presentAuthor(author, baseUrl),
  };
}
