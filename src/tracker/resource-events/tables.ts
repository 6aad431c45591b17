import type { Generated, Selectable } from 'kysely';

/** What GitLab keeps a history of, each kind with a list of its own. */
export type ResourceEventKind = 'label' | 'milestone' | 'state';
export type ResourceType = 'Issue' | 'MergeRequest';
export type ResourceAction = 'add' | 'remove' | 'closed' | 'reopened' | 'merged';

/** One step in the history of an issue or a merge request; never changed. */
export interface ResourceEventsTable {
  id: Generated<number>;
  project_id: number;
  kind: ResourceEventKind;
  resource_type: ResourceType;
  resource_id: number;
  /** null: nobody known, or somebody who is gone. */
  user_id: number | null;
  /** Of the kind `label`; null once the label is gone. */
  label_id: number | null;
  /** Of the kind `milestone`; null once the milestone is gone. */
  milestone_id: number | null;
  action: ResourceAction;
  created_at: number;
}

export type ResourceEventRow = Selectable<ResourceEventsTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    resource_events: ResourceEventsTable;
  }
}
