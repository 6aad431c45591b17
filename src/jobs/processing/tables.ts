import type { Generated, Selectable } from 'kysely';

/** Which of the jobs that wait for a resource is next. */
export const PROCESS_MODES = ['unordered', 'oldest_first', 'newest_first', 'newest_ready_first'] as const;

export type ProcessMode = (typeof PROCESS_MODES)[number];

/** Jobs of a project that name the same group run one after the other. */
export interface ResourceGroupsTable {
  id: Generated<number>;
  project_id: number;
  key: string;
  process_mode: Generated<ProcessMode>;
  created_at: number;
  updated_at: number;
}

export type ResourceGroupRow = Selectable<ResourceGroupsTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    resource_groups: ResourceGroupsTable;
  }
}
