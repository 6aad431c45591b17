import type { Generated, Selectable } from 'kysely';

/** Tokens with which other systems begin pipelines in their owner's name. */
export interface PipelineTriggersTable {
  id: Generated<number>;
  project_id: number;
  owner_id: number;
  description: string;
  /** As it is: its owner may read it again. */
  token: string;
  last_used_at: number | null;
  created_at: number;
  updated_at: number;
}

export type TriggerRow = Selectable<PipelineTriggersTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    pipeline_triggers: PipelineTriggersTable;
  }
}
