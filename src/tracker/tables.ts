import type { Generated, Selectable } from 'kysely';

/** Rows as both databases hold them: times in ms, booleans 0/1, JSON as text. `migrations/` has the indexes. */

/** The last number given within a project to things of one kind. */
export interface TrackerCountersTable {
  project_id: number;
  kind: 'merge_request' | 'issue' | 'milestone';
  last_iid: number;
}

export type MergeRequestState = 'opened' | 'closed' | 'merged' | 'locked';

/** `cannot_be_merged` is a conflict; `unchecked` says that a branch has moved since. */
export type MergeStatus = 'unchecked' | 'can_be_merged' | 'cannot_be_merged';

export interface MergeRequestsTable {
  id: Generated<number>;
  iid: number;
  /** The project it is to be merged into. */
  project_id: number;
  /** null: the fork it came from is gone. */
  source_project_id: number | null;
  source_branch: string;
  target_branch: string;
  title: string;
  description: string | null;
  state: Generated<MergeRequestState>;
  /** 1: the title says that it is not ready. */
  draft: Generated<number>;
  author_id: number | null;
  /** The commit offered: the tip of the source branch as long as the request is open. */
  sha: string | null;
  /** Where the branches part; the diff goes from there to `sha`. */
  base_sha: string | null;
  /** The tip of the target branch when `sha` was last looked at. */
  start_sha: string | null;
  /** Counts what was offered: a push to the source branch makes the next. */
  version: Generated<number>;
  changes_count: Generated<number>;
  /** 1: there are more files than a diff shows. */
  changes_overflow: Generated<number>;
  merge_status: Generated<MergeStatus>;
  /** The two commits that `merge_status` is about, `<source> <target>`. */
  merge_status_of: Generated<string | null>;
  /** Written before the target branch moves, so that a merge that a crash cut short is finished, and finished right. */
  in_progress_merge_commit_sha: Generated<string | null>;
  merge_commit_sha: Generated<string | null>;
  squash_commit_sha: Generated<string | null>;
  merged_by_id: Generated<number | null>;
  merged_at: Generated<number | null>;
  closed_by_id: Generated<number | null>;
  closed_at: Generated<number | null>;
  merge_error: Generated<string | null>;
  squash: Generated<number>;
  /** JSON of `AutoMerge`: it is to be merged as soon as its pipeline has succeeded. */
  auto_merge: Generated<string | null>;
  /** 1: somebody has asked for it, and the event of that is not handled yet. */
  rebase_in_progress: Generated<number>;
  /** Said when merging. */
  should_remove_source_branch: Generated<number | null>;
  /** Said when opening. */
  force_remove_source_branch: Generated<number>;
  allow_collaboration: Generated<number>;
  discussion_locked: Generated<number | null>;
  /** Seconds. */
  time_estimate: Generated<number>;
  /** Of its project or of a group above. */
  milestone_id: Generated<number | null>;
  created_at: number;
  updated_at: number;
}

/** Commits of the present version of a merge request, newest first. */
export interface MergeRequestCommitsTable {
  merge_request_id: number;
  position: number;
  sha: string;
}

export interface MergeRequestPeopleTable {
  merge_request_id: number;
  user_id: number;
}

/** GitLab's words for how far a reviewer has come. */
export type ReviewState = 'unreviewed' | 'approved' | 'unapproved';

export interface MergeRequestReviewersTable extends MergeRequestPeopleTable {
  state: Generated<ReviewState>;
  created_at: number;
}

export interface MergeRequestApprovalsTable extends MergeRequestPeopleTable {
  created_at: number;
}

/** What a merge request offered, push by push. */
export interface MergeRequestVersionsTable {
  id: Generated<number>;
  merge_request_id: number;
  /** `version` of the request at that time. */
  number: number;
  head_sha: string;
  base_sha: string | null;
  start_sha: string;
  changes_count: number;
  changes_overflow: number;
  created_at: number;
}

export interface MergeRequestLabelsTable {
  merge_request_id: number;
  label_id: number;
}

export type NoteableType = 'Commit' | 'MergeRequest' | 'Issue' | 'Snippet';
export type NoteType = 'DiffNote' | 'DiscussionNote';

export interface NotesTable {
  id: Generated<number>;
  project_id: number;
  noteable_type: NoteableType;
  /** null for commits, which `commit_id` names. */
  noteable_id: number | null;
  noteable_iid: number | null;
  commit_id: string | null;
  author_id: number | null;
  /** null: a note of its own, no thread. */
  type: NoteType | null;
  /** 40 hex digits; every note has one, those of a thread share it. */
  discussion_id: string;
  body: string;
  /** JSON of `NotePosition`. */
  position: string | null;
  /** 1: written by the service about what somebody did. */
  system: Generated<number>;
  internal: Generated<number>;
  resolved_at: number | null;
  resolved_by_id: number | null;
  created_at: number;
  updated_at: number;
}

export type MergeRequestRow = Selectable<MergeRequestsTable>;
export type MergeRequestVersionRow = Selectable<MergeRequestVersionsTable>;
export type NoteRow = Selectable<NotesTable>;

declare module '../platform/db/tables.ts' {
  interface Tables {
    tracker_counters: TrackerCountersTable;
    merge_requests: MergeRequestsTable;
    merge_request_commits: MergeRequestCommitsTable;
    merge_request_assignees: MergeRequestPeopleTable;
    merge_request_reviewers: MergeRequestReviewersTable;
    merge_request_versions: MergeRequestVersionsTable;
    merge_request_approvals: MergeRequestApprovalsTable;
    merge_request_labels: MergeRequestLabelsTable;
    notes: NotesTable;
  }
}
