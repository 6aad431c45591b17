import type { Generated, Selectable } from 'kysely';

/** Pipelines that begin by the clock. */
export interface PipelineSchedulesTable {
  id: Generated<number>;
  project_id: number;
  /** For whom they run. null: he is gone, and nobody has taken it over. */
  owner_id: number | null;
  description: string;
  /** Full name, `refs/heads/main`. */
  ref: string;
  cron: string;
  cron_timezone: Generated<string>;
  active: Generated<number>;
  /** null: never. */
  next_run_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface PipelineScheduleVariablesTable {
  schedule_id: number;
  key: string;
  value: string;
  variable_type: Generated<'env_var' | 'file'>;
  raw: Generated<number>;
}

export type ScheduleRow = Selectable<PipelineSchedulesTable>;
export type ScheduleVariableRow = Selectable<PipelineScheduleVariablesTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    pipeline_schedules: PipelineSchedulesTable;
    pipeline_schedule_variables: PipelineScheduleVariablesTable;
  }
}
