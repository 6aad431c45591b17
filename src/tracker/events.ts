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
}

interface MergeRequestEvent {
  projectId: number;
  mergeRequestId: number;
  iid: number;
  /** Who did it; null when a push by nobody known did. */
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
    };
    'merge_request.merged': MergeRequestEvent & { mergeCommitSha: string | null };
    'merge_request.closed': MergeRequestEvent;
    'merge_request.reopened': MergeRequestEvent;
    /** The rows are gone already. */
    'merge_request.deleted': MergeRequestEvent;
  }
}
