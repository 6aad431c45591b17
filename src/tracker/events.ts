import type { NoteableType } from './tables.ts';

interface NoteEvent {
  projectId: number;
  noteId: number;
  noteableType: NoteableType;
  /** null for commits. */
  noteableId: number | null;
  commitId: string | null;
  /** Who did it: the author, or who changed or removed it. */
  userId: number;
  /** Published with others, of which `merge_request.reviewed` tells. */
  inReview?: true;
}

interface MergeRequestEvent {
  projectId: number;
  mergeRequestId: number;
  iid: number;
  /** Who did it; null when a push by nobody known did. */
  userId: number | null;
}

interface IssueEvent {
  projectId: number;
  issueId: number;
  iid: number;
  /** Who did it; null when nobody known did. */
  userId: number | null;
}

/** Exactly one of `projectId` and `groupId` is set: it says which stream the event is in. */
interface MilestoneEvent {
  milestoneId: number;
  projectId: number | null;
  groupId: number | null;
  userId: number | null;
}

interface LabelEvent {
  labelId: number;
  projectId: number | null;
  groupId: number | null;
  userId: number | null;
}

declare module '../platform/events/event.ts' {
  /** All of them in the stream `project:<id>` of the project that the thing belongs to. */
  interface EventTypes {
    'note.created': NoteEvent;
    'note.updated': NoteEvent;
    /** The row is gone already. */
    'note.deleted': NoteEvent;
    'merge_request.opened': MergeRequestEvent;
    /** `changes` names the fields; `sha` among them is a push to the source branch. */
    'merge_request.updated': MergeRequestEvent & {
      changes: string[];
      /** Who has become or is no longer an assignee or reviewer. */
      assignees?: { added: number[]; removed: number[] };
      reviewers?: { added: number[]; removed: number[] };
      /** Ids of labels. */
      labels?: { added: number[]; removed: number[] };
      /** Names in the title and description that were not there before. */
      mentioned?: string[];
      /** Commits that a push has added, the newest first; of many only some, `count` says how many. */
      pushed?: { commits: { id: string; title: string }[]; count: number };
    };
    'merge_request.merged': MergeRequestEvent & {
      mergeCommitSha: string | null;
      /** It had been left to be merged when its pipeline succeeds. */
      automatic: boolean;
    };
    'merge_request.closed': MergeRequestEvent;
    'merge_request.reopened': MergeRequestEvent;
    /** Draft notes were published together: those that everybody may read who reads the merge request. */
    'merge_request.reviewed': MergeRequestEvent & { noteIds: number[] };
    'merge_request.approved': MergeRequestEvent;
    'merge_request.unapproved': MergeRequestEvent;
    /** The last of its threads that was not resolved is. */
    'merge_request.threads_resolved': MergeRequestEvent;
    /** It is to be merged when its pipeline has succeeded; or is not any more, which `reason` explains where nobody asked for it. */
    'merge_request.auto_merge_enabled': MergeRequestEvent;
    'merge_request.auto_merge_canceled': MergeRequestEvent & { reason: string | null };
    /** What moves the source branch follows on this event; `merge_request.updated` tells of it. */
    'merge_request.rebase_requested': MergeRequestEvent & { skipCi: boolean };
    /** The rows are gone already. */
    'merge_request.deleted': MergeRequestEvent;

    'issue.opened': IssueEvent;
    /** `changes` names the fields. */
    'issue.updated': IssueEvent & {
      changes: string[];
      /** Who has become or is no longer an assignee. */
      assignees?: { added: number[]; removed: number[] };
      labels?: { added: number[]; removed: number[] };
      /** Names in the title and description that were not there before. */
      mentioned?: string[];
    };
    /** Open, and due on the next day; once for each due day, at a fixed time. */
    'issue.due': IssueEvent & { dueDate: string };
    'issue.closed': IssueEvent & {
      /** Set where merging a merge request closed it. */
      mergeRequestId?: number;
    };
    'issue.reopened': IssueEvent;
    /** To another project, where it is a new issue; this one is closed. */
    'issue.moved': IssueEvent & { toProjectId: number; toIssueId: number };
    /** There is a new issue with what this one says; this one stays as it is. */
    'issue.cloned': IssueEvent & { toProjectId: number; toIssueId: number };
    /** The rows are gone already. */
    'issue.deleted': IssueEvent;

    'milestone.created': MilestoneEvent;
    /** `changes` names the fields, `state` among them. */
    'milestone.updated': MilestoneEvent & { changes: string[] };
    'milestone.deleted': MilestoneEvent;

    'label.created': LabelEvent;
    'label.updated': LabelEvent;
    'label.deleted': LabelEvent;
  }
}
