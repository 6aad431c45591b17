import type { Generated, Selectable } from 'kysely';

/** Exactly one of `project_id` and `group_id` is set. */
export interface LabelsTable {
  id: Generated<number>;
  project_id: number | null;
  group_id: number | null;
  name: string;
  /** `#rrggbb` */
  color: string;
  description: string | null;
  created_at: number;
  updated_at: number;
}

/** Lists of a project begin with the labels of lowest priority; most have none. */
export interface LabelPrioritiesTable {
  project_id: number;
  label_id: number;
  priority: number;
}

export type LabelRow = Selectable<LabelsTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    labels: LabelsTable;
    label_priorities: LabelPrioritiesTable;
  }
}
