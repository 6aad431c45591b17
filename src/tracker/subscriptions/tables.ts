import type { Generated } from 'kysely';

/** What somebody has said about hearing of one thing. */
export interface SubscriptionsTable {
  id: Generated<number>;
  user_id: number;
  issue_id: number | null;
  merge_request_id: number | null;
  snippet_id: number | null;
  label_id: number | null;
  /** Of a label: in this project alone. */
  project_id: number | null;
  /** 0: wants to hear no more of it, though he takes part. */
  subscribed: number;
  updated_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    subscriptions: SubscriptionsTable;
  }
}
