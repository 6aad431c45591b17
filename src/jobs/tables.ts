import type { Generated, Selectable } from 'kysely';
import type { AutoCancel, JobWhen } from './config/plan.ts';
import type { JobStatus } from './states.ts';

/** Rows as both databases hold them: times in ms, booleans 0/1. `migrations/` has the indexes. */

/** The last number given to a pipeline of a project; its row is also what writers of a project's statuses queue up at. */
export interface PipelineCountersTable {
  project_id: number;
  last_iid: number;
}

export interface PipelinesTable {
  id: Generated<number>;
  /** Counts within the project; never given twice. */
  iid: number;
  project_id: number;
  name: string | null;
  sha: string;
  before_sha: string | null;
  ref: string;
  tag: Generated<number>;
  /** `push`, `external`, … see `PIPELINE_SOURCES`. */
  source: string;
  status: Generated<JobStatus>;
  user_id: number | null;
  yaml_errors: string | null;
  /** Seconds in which at least one job ran; set when it is complete. */
  duration: number | null;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
  /** Of a protected branch or tag: only then are protected variables and runners for it. */
  protected: Generated<number>;
  /** Set for the pipelines of a merge request. */
  merge_request_id: number | null;
  /** JSON array of the stages in order. */
  stages: Generated<string>;
  auto_cancel: Generated<AutoCancel>;
  /** The trigger token, or the schedule, that began it; it may be gone. */
  trigger_id: number | null;
  schedule_id: number | null;
  /** The event that it was begun by, which may be delivered again. */
  event_id: number | null;
}

export interface PipelineVariablesTable {
  pipeline_id: number;
  key: string;
  value: string;
  variable_type: Generated<'env_var' | 'file'>;
  /** 1: `$OTHER` in the value stays as it is. */
  raw: Generated<number>;
}

/** Which bridge began a pipeline. */
export interface PipelineSourcesTable {
  pipeline_id: number;
  source_project_id: number;
  source_pipeline_id: number;
  source_job_id: number;
}

export type JobKind = 'build' | 'bridge' | 'external';

/** CI jobs, bridges and external statuses in one table, so that their ids are of one sequence, as in GitLab. */
export interface JobsTable {
  id: Generated<number>;
  kind: JobKind;
  project_id: number;
  pipeline_id: number;
  name: string;
  stage: string;
  stage_idx: number;
  ref: string;
  tag: Generated<number>;
  status: Generated<JobStatus>;
  description: string | null;
  target_url: string | null;
  coverage: number | null;
  allow_failure: Generated<number>;
  user_id: number | null;
  /** 1: a newer row of the same name stands for it. */
  retried: Generated<number>;
  failure_reason: string | null;
  created_at: number;
  updated_at: number;
  queued_at: number | null;
  started_at: number | null;
  finished_at: number | null;
  when: Generated<JobWhen>;
  /** Of delayed jobs: how many seconds after what comes before it. */
  start_in: number | null;
  /** When a delayed job that waits is to begin. */
  scheduled_at: number | null;
  scheduling: Generated<'stage' | 'dag'>;
  protected: Generated<number>;
  interruptible: Generated<number>;
  /** With its variables expanded. */
  resource_group: string | null;
  environment: string | null;
  /** JSON array of text, sorted. */
  tags: Generated<string>;
  /** Seconds. */
  timeout: number | null;
  exit_code: number | null;
  runner_id: number | null;
  runner_manager_id: number | null;
  /** 1: its runner said `cancel_gracefully`, so that a cancelled job ends its script first; written when it takes the job. */
  cancel_gracefully: Generated<number>;
  erased_at: number | null;
  erased_by_id: number | null;
  artifacts_expire_at: number | null;
}

/** What a runner is told to do; apart from the rows that lists read. */
export interface JobDefinitionsTable {
  job_id: number;
  /** JSON of `JobDefinition`. */
  definition: string;
  /** JSON of `ConfigVariable[]`: the file's, then those of whoever played it. */
  variables: Generated<string>;
}

export interface JobNeedsTable {
  job_id: number;
  idx: number;
  /** The full name of a job of the same pipeline. */
  name: string;
  artifacts: Generated<number>;
}

export type PipelineRow = Selectable<PipelinesTable>;
export type JobRow = Selectable<JobsTable>;

declare module '../platform/db/tables.ts' {
  interface Tables {
    pipeline_counters: PipelineCountersTable;
    pipelines: PipelinesTable;
    jobs: JobsTable;
    job_definitions: JobDefinitionsTable;
    job_needs: JobNeedsTable;
    pipeline_variables: PipelineVariablesTable;
    pipeline_sources: PipelineSourcesTable;
  }
}
