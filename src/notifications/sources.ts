import type { Reader } from '../core/access/audience.ts';
import type { NoticeAct, ThingType } from './notice.ts';

/**
 * What the rooms that know issues, merge requests, notes and pipelines tell of them. `service.ts` hands their answers in: this
 * room knows none of them. Null is for what is gone.
 */
export interface NotificationSources {
  tracker: TrackerSource;
  pipelines: PipelineSource;
}

/** A thing that people talk about. */
export type ThingRef =
  | { type: 'Issue' | 'MergeRequest' | 'Snippet'; id: number }
  | { type: 'Commit'; projectId: number; sha: string };

export interface ThingFacts {
  type: ThingType;
  projectId: number;
  /** Null for commits. */
  id: number | null;
  iid: number | null;
  sha: string | null;
  title: string;
  /** Its page, behind the address of the project. */
  path: string;
  reference: string;
  state: string | null;
  confidential: boolean | null;
  authorId: number | null;
  /** Markdown. */
  description: string | null;
  assigneeIds: readonly number[];
  reviewerIds: readonly number[];
  labelIds: readonly number[];
  /** The title of its milestone. */
  milestone: string | null;
  draft: boolean;
  sourceBranch: string | null;
  targetBranch: string | null;
  /** `YYYY-MM-DD`. */
  dueDate: string | null;
  mayRead(reader: Reader): boolean;
}

/** What was said about a thing. */
export interface Voices {
  /** Who wrote the notes. */
  writers: readonly Voice[];
  /** Texts of notes that may name people, the newest first: as many as are looked at. */
  texts: readonly { text: string; authorId: number | null; internal: boolean }[];
}

export interface Voice {
  userId: number;
  /** Wrote nothing but internal notes. */
  internal: boolean;
}

export interface NoteFacts {
  id: number;
  about: ThingRef;
  authorId: number | null;
  text: string;
  /** Only for those who may read internal notes. */
  internal: boolean;
  /** Written by the service about what somebody did. */
  system: boolean;
  /** Null for a note that stands alone. */
  discussionId: string | null;
  /** Of the same thread, the oldest first; the newest hundred. */
  earlierNoteIds: number[];
  position: NonNullable<NoticeAct['position']> | null;
}

/** Whom the thing was left on or off for, whatever else he has set. */
export interface Subscriptions {
  on: readonly number[];
  off: readonly number[];
}

export interface TrackerSource {
  thing(ref: ThingRef): Promise<ThingFacts | null>;
  voices(ref: ThingRef): Promise<Voices>;
  note(id: number): Promise<NoteFacts | null>;
  subscriptions(ref: ThingRef): Promise<Subscriptions>;
  /** Who has subscribed to one of these labels. */
  labelSubscribers(labelIds: readonly number[], projectId: number): Promise<readonly number[]>;
  /** In the order of the alphabet; those that are gone are left out. */
  labelNames(labelIds: readonly number[]): Promise<string[]>;
}

export interface PipelineFacts {
  id: number;
  iid: number;
  projectId: number;
  ref: string;
  tag: boolean;
  sha: string;
  title: string;
  status: string;
  /** Who started it. */
  userId: number | null;
  /** The merge request that it runs for. */
  mergeRequestId: number | null;
  /** Whether a newer one of the same ref has ended. */
  overtaken: boolean;
  /** Begun by a job of another pipeline of the same project. */
  child: boolean;
}

export interface PipelineSource {
  pipeline(id: number): Promise<PipelineFacts | null>;
}
