import type { NoticeAct, NoticeKind } from '../notice.ts';
import type { Candidate } from '../recipients.ts';
import type { NoteFacts, ThingFacts, ThingRef } from '../sources.ts';

/** Something that has happened to a thing, before anybody knows whom to tell. */
export interface Happening {
  eventId: number;
  kind: NoticeKind;
  /** When, ms. */
  at: number;
  /** Who did it and so knows of it; null where nobody counts as acting. */
  actorId: number | null;
  /** Whom the mail is from; null for the service itself. */
  fromId: number | null;
  thing: ThingFacts;
  /** Where what was said about it is found; null where nothing is. */
  ref: ThingRef | null;
  act: NoticeAct;
  note?: NoteFacts;
  /**
   * `everybody`: who takes part in the thing, watches the place or has subscribed, and who else is named below. `named`: only
   * those.
   */
  audience: 'everybody' | 'named';
  /** Further reasons to tell somebody. */
  candidates: readonly Candidate[];
  /** Who is named in what was said now, and by whom. */
  mentions?: Mentions;
  /** Labels whose subscribers are told. */
  labelIds?: readonly number[];
}

/** Names as `mentionedNames` finds them, in a text of this author's. */
export interface Mentions {
  names: readonly string[];
  authorId: number | null;
}

/** What a thing does not have that is neither issue nor merge request. */
export const NO_FACTS = {
  description: null,
  confidential: null,
  assigneeIds: [],
  reviewerIds: [],
  labelIds: [],
  milestone: null,
  draft: false,
  sourceBranch: null,
  targetBranch: null,
  dueDate: null,
} satisfies Partial<ThingFacts>;
