/**
 * What can be told. The first nineteen can be switched on and off at level `custom` and bear GitLab's names; the rest cannot, and
 * reach only those who take part, are named, or have subscribed.
 */
export type NoticeKind =
  | 'new_note'
  | 'new_issue'
  | 'reopen_issue'
  | 'close_issue'
  | 'reassign_issue'
  | 'issue_due'
  | 'new_merge_request'
  | 'push_to_merge_request'
  | 'reopen_merge_request'
  | 'close_merge_request'
  | 'reassign_merge_request'
  | 'change_reviewer_merge_request'
  | 'merge_merge_request'
  | 'failed_pipeline'
  | 'fixed_pipeline'
  | 'success_pipeline'
  | 'moved_project'
  | 'merge_when_pipeline_succeeds'
  | 'mentioned_in_issue'
  | 'mentioned_in_merge_request'
  | 'relabel_issue'
  | 'relabel_merge_request'
  | 'change_milestone_issue'
  | 'change_milestone_merge_request'
  | 'change_draft_merge_request'
  | 'approve_merge_request'
  | 'unapprove_merge_request'
  | 'resolve_all_discussions'
  | 'move_issue'
  | 'clone_issue';

/**
 * Why somebody is told, the strongest first: of several reasons the first one counts. GitLab names only the first five
 * (`headerReason`); the others say in a digest why a line is there.
 */
export const NOTICE_REASONS = [
  'own_activity',
  'assigned',
  'review_requested',
  'mentioned',
  'subscribed',
  /** Was an assignee or reviewer until now. */
  'unassigned',
  'author',
  'participated',
  /** Started the pipeline. */
  'started',
  /** Owns or maintains the project. */
  'maintains',
  'custom',
  'watching',
] as const;
export type NoticeReason = (typeof NOTICE_REASONS)[number];

/** The value of `X-GitLab-NotificationReason`; null where GitLab sends none. */
export function headerReason(reason: NoticeReason): string | null {
  return NOTICE_REASONS.indexOf(reason) < 5 ? reason : null;
}

/** When it is to be told. */
export type Delivery = 'immediate' | 'batched' | 'hourly' | 'daily';

export interface NoticePerson {
  id: number;
  username: string;
  name: string;
}

export interface NoticeProject {
  id: number;
  /** Full path. */
  path: string;
  name: string;
  /** `Group / Sub / Project`. */
  fullName: string;
  url: string;
  /** Ids of the groups above, the nearest first; without a personal namespace. */
  groupIds: number[];
}

export type ThingType = 'Issue' | 'MergeRequest' | 'Commit' | 'Snippet' | 'Pipeline' | 'Project';

/** What the notice is about: its mails make one thread. */
export interface NoticeThing {
  type: ThingType;
  /** The database's; null for commits. */
  id: number | null;
  /** The number in the project; null for what has none. */
  iid: number | null;
  /** Of the commit, or the one the pipeline runs for. */
  sha: string | null;
  /** Given by people: may hold anything. */
  title: string;
  url: string;
  /** `#5`, `!7`, `$3`, a short sha; empty for a project. */
  reference: string;
  /** `opened`, `closed`, `merged`, `locked`; of a pipeline `success` or `failed`; null for what has none. */
  state: string | null;
  /** Null for what cannot be. */
  confidential: boolean | null;
  author: NoticePerson | null;
}

/** What has happened to the thing. Every field is there only where it has something to tell. */
export interface NoticeAct {
  /** Markdown: the note, or the description of something new. At most `MAX_TEXT` characters. */
  text?: string;
  /** `text` is only its beginning. */
  cut?: boolean;
  /** Where it can be read, if that is not the thing's own address (the note's anchor). */
  url?: string;
  /** Names of those who are assignees or reviewers now, and of those who are not any more; or names of labels. */
  added?: string[];
  removed?: string[];
  /** Present assignees of something new. */
  assignees?: string[];
  reviewers?: string[];
  /** Title; null says that it was taken away. */
  milestone?: string | null;
  draft?: boolean;
  /** `YYYY-MM-DD`. */
  dueDate?: string;
  /** Pushed to a merge request, the newest first; at most `MAX_COMMITS` of `commitCount`. */
  commits?: { id: string; title: string }[];
  commitCount?: number;
  /** Branches of a merge request. */
  sourceBranch?: string;
  targetBranch?: string;
  /** Of a pipeline. */
  ref?: string;
  /** The reference of the merge request that closed an issue, or the one a pipeline runs for. */
  by?: string;
  /** Where an issue or project went: its new reference or path, and its former one. */
  to?: string;
  from?: string;
  /** File and line of a note on a diff. */
  position?: { path: string; line: number | null };
}

/** As much of a text as a mail carries; the rest is behind the link. */
export const MAX_TEXT = 20_000;
export const MAX_COMMITS = 20;

/** One act as it is told, to whomever. */
export interface NoticeBase {
  /** Of the outbox. With `kind` and `userId` it names the notice, so that an event handed out twice writes none twice. */
  eventId: number;
  kind: NoticeKind;
  /** Whom the mail is from: who did it; for `issue_due` the author; null where it is the service itself. */
  actor: NoticePerson | null;
  project: NoticeProject;
  thing: NoticeThing;
  act: NoticeAct;
  /** With `new_note`. */
  noteId: number | null;
  /** With a note of a thread: its id, and its earlier notes, the oldest first (the newest hundred of them). */
  discussionId: string | null;
  earlierNoteIds: number[];
  /** When it happened, ms. */
  at: number;
}

/** One act told to one person. Plain JSON: it waits in a row until it is due. */
export interface Notice extends NoticeBase {
  /** Who is told. */
  userId: number;
  reason: NoticeReason;
  delivery: Delivery;
}
