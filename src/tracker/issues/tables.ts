import type { Generated, Selectable } from 'kysely';

/** Rows as both databases hold them: times in ms, days as `YYYY-MM-DD`, booleans 0/1. */

export type IssueState = 'opened' | 'closed';
export type IssueType = 'issue' | 'incident' | 'test_case' | 'task';

export interface IssuesTable {
  id: Generated<number>;
  iid: number;
  project_id: number;
  title: string;
  description: string | null;
  state: Generated<IssueState>;
  issue_type: Generated<IssueType>;
  /** null: the user is gone. */
  author_id: number | null;
  closed_by_id: Generated<number | null>;
  closed_at: Generated<number | null>;
  /** 1: only its author, its assignees and reporters and up know of it. */
  confidential: Generated<number>;
  discussion_locked: Generated<number | null>;
  due_date: Generated<string | null>;
  /** Of its project or of a group above. */
  milestone_id: Generated<number | null>;
  /** Seconds. */
  time_estimate: Generated<number>;
  /** The issue of another project that goes on with it. */
  moved_to_id: Generated<number | null>;
  /** The order that people gave the issues of the project by hand. */
  relative_position: number;
  created_at: number;
  updated_at: number;
}

export interface IssueAssigneesTable {
  issue_id: number;
  user_id: number;
}

export interface IssueLabelsTable {
  issue_id: number;
  label_id: number;
}

/** Two issues that have to do with each other; one row for both directions. */
export interface IssueLinksTable {
  id: Generated<number>;
  source_id: number;
  target_id: number;
  created_at: number;
  updated_at: number;
}

/** Which issues a merge request speaks of in its texts. */
export interface MergeRequestIssuesTable {
  merge_request_id: number;
  issue_id: number;
  /** 1: merging it into the default branch closes the issue. */
  closes: number;
  /** 1: merging it has. */
  closed: Generated<number>;
}

export type IssueRow = Selectable<IssuesTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    issues: IssuesTable;
    issue_assignees: IssueAssigneesTable;
    issue_labels: IssueLabelsTable;
    issue_links: IssueLinksTable;
    merge_request_issues: MergeRequestIssuesTable;
  }
}
