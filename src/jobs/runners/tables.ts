import type { Generated, Selectable } from 'kysely';

export const RUNNER_TYPES = ['instance_type', 'group_type', 'project_type'] as const;
export type RunnerType = (typeof RUNNER_TYPES)[number];

export const ACCESS_LEVELS = ['not_protected', 'ref_protected'] as const;
export type RunnerAccessLevel = (typeof ACCESS_LEVELS)[number];

export interface RunnersTable {
  id: Generated<number>;
  runner_type: RunnerType;
  /** SHA-256, hex. The token itself is shown once and kept nowhere. */
  token_hash: string;
  /** Its first characters behind the prefix. */
  short_token: string;
  registration: 'authenticated_user' | 'registration_token';
  /** The group of a `group_type` runner. */
  namespace_id: number | null;
  creator_id: number | null;
  description: string | null;
  maintenance_note: string | null;
  paused: Generated<number>;
  /** 1: a project runner is given to no further project. */
  locked: Generated<number>;
  run_untagged: Generated<number>;
  /** `ref_protected`: only jobs of protected branches and tags. */
  access_level: Generated<RunnerAccessLevel>;
  /** Seconds. */
  maximum_timeout: number | null;
  /** JSON array of text, sorted. */
  tags: Generated<string>;
  contacted_at: number | null;
  created_at: number;
  updated_at: number;
}

/** The projects of `project_type` runners; the first is the one that it was made for. */
export interface RunnerProjectsTable {
  id: Generated<number>;
  runner_id: number;
  project_id: number;
}

/** One for each machine that uses a runner's token. */
export interface RunnerManagersTable {
  id: Generated<number>;
  runner_id: number;
  system_id: string;
  name: string | null;
  version: string | null;
  revision: string | null;
  platform: string | null;
  architecture: string | null;
  executor: string | null;
  ip_address: string | null;
  contacted_at: number | null;
  created_at: number;
}

/** What is known of a job since a runner took it. */
export interface JobRunsTable {
  job_id: number;
  /** Of the job's token: who shows it speaks for the job, also when it has ended, and is told so. */
  token_hash: string;
  /** 1: by an instance runner, which projects share fairly. */
  shared: Generated<number>;
  /** When it was handed out to a runner that has yet to confirm it; until then the job is `pending` still. */
  unconfirmed_since: number | null;
  /** The limit that a refused artifact went beyond; a job with one may not end well. */
  refused_bytes: Generated<number | null>;
}

/** Who shows one may make a runner there. */
export interface RegistrationTokensTable {
  /** `instance`, `group:5`, `project:7`. */
  place: string;
  token: string;
  namespace_id: number | null;
  project_id: number | null;
}

export type RunnerRow = Selectable<RunnersTable>;
export type RunnerManagerRow = Selectable<RunnerManagersTable>;
export type JobRunRow = Selectable<JobRunsTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    runners: RunnersTable;
    runner_projects: RunnerProjectsTable;
    runner_managers: RunnerManagersTable;
    job_runs: JobRunsTable;
    registration_tokens: RegistrationTokensTable;
  }
}
