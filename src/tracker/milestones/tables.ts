import type { Generated, Selectable } from 'kysely';

export type MilestoneState = 'active' | 'closed';

/** Exactly one of `project_id` and `group_id` is set; `iid` counts within it. */
export interface MilestonesTable {
  id: Generated<number>;
  iid: number;
  project_id: number | null;
  group_id: number | null;
  title: string;
  description: string | null;
  state: Generated<MilestoneState>;
  /** `YYYY-MM-DD` */
  due_date: string | null;
  start_date: string | null;
  created_at: number;
  updated_at: number;
}

/** The last number given within a group to things of one kind. */
export interface TrackerGroupCountersTable {
  group_id: number;
  kind: 'milestone';
  last_iid: number;
}

export type MilestoneRow = Selectable<MilestonesTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    milestones: MilestonesTable;
    tracker_group_counters: TrackerGroupCountersTable;
  }
}
