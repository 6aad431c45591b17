import type { Generated } from 'kysely';

export type TimedType = 'Issue' | 'MergeRequest';

/** Time that somebody spent, or took back again. */
export interface TimelogsTable {
  id: Generated<number>;
  project_id: number;
  target_type: TimedType;
  target_id: number;
  user_id: number | null;
  /** The system note that tells of it. */
  note_id: number | null;
  /** Seconds; less than nought takes back. */
  time_spent: number;
  summary: string | null;
  spent_at: number;
  created_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    timelogs: TimelogsTable;
  }
}
