import type { Generated, Selectable } from 'kysely';
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
}

export type PipelineRow = Selectable<PipelinesTable>;
export type JobRow = Selectable<JobsTable>;

declare module '../platform/db/tables.ts' {
  interface Tables {
    pipeline_counters: PipelineCountersTable;
    pipelines: PipelinesTable;
    jobs: JobsTable;
  }
}
