import { NOTICE_REASONS, type NoticeKind, type NoticeReason } from './notice.ts';
import { EVENT_NAMES, type EventBits, type EventName, isEventOn } from './settings/event-names.ts';
import type { NotificationLevel } from './settings/levels.ts';

/** In which capacity somebody may be told; the levels choose among these. GitLab's words. */
export type Capacity = 'participating' | 'watch' | 'custom' | 'subscription' | 'mention';

/** One reason to tell somebody; a person may have several. */
export interface Candidate {
  userId: number;
  capacity: Capacity;
  reason: NoticeReason;
}

/** What somebody has set that is in force at the place in question. */
export interface Choice {
  level: NotificationLevel;
  /** What level `custom` switches. */
  events: EventBits;
}

/** A candidate as a person. */
export interface Standing {
  choice: Choice;
  /** Neither blocked nor a robot, and may read what it is about. */
  mayBeTold: boolean;
  /** Wants to be told of what he did himself. */
  wantsOwn: boolean;
}

export interface Question {
  kind: NoticeKind;
  /** Who did it and so knows of it; null where nobody counts as acting. */
  actorId: number | null;
  candidates: readonly Candidate[];
  /** Who has said that he wants no more of the thing. */
  unsubscribed: ReadonlySet<number>;
  /** Undefined for whom there is not. */
  standingOf: (userId: number) => Standing | undefined;
}

export interface Recipient {
  userId: number;
  reason: NoticeReason;
}

/** Everybody who is to be told, once each and for the strongest of his reasons. */
export function recipientsOf(question: Question): Recipient[] {
  const reasons = new Map<number, NoticeReason>();
  for (const candidate of question.candidates) {
    const standing = question.standingOf(candidate.userId);
    if (!standing || !accepts(question, candidate, standing)) continue;
    const reason = candidate.userId === question.actorId ? 'own_activity' : candidate.reason;
    const known = reasons.get(candidate.userId);
    if (known === undefined || rank(reason) < rank(known)) reasons.set(candidate.userId, reason);
  }
  return [...reasons].map(([userId, reason]) => ({ userId, reason }));
}

const RANKS = new Map(NOTICE_REASONS.map((reason, index) => [reason, index]));
const rank = (reason: NoticeReason): number => RANKS.get(reason)!;

function accepts(question: Question, { userId, capacity }: Candidate, standing: Standing): boolean {
  if (!standing.mayBeTold) return false;
  if (userId === question.actorId && !standing.wantsOwn) return false;
  const unsubscribed = question.unsubscribed.has(userId);
  // subscribing to a thing is more than any level, `disabled` included
  if (capacity === 'subscription') return !unsubscribed;
  if (!levelAccepts(standing.choice, question.kind, capacity)) return false;
  return !unsubscribed || capacity === 'mention';
}

/** Pipelines that end well, pushes and dates are too many for who merely watches; GitLab's list. */
const NOT_WATCHED: ReadonlySet<NoticeKind> = new Set([
  'push_to_merge_request',
  'issue_due',
  'success_pipeline',
]);

/** Told to who takes part in anything at all, in whichever capacity they came up. */
const FOR_PARTICIPANTS: ReadonlySet<NoticeKind> = new Set([
  'failed_pipeline',
  'fixed_pipeline',
  'moved_project',
]);

function levelAccepts(choice: Choice, kind: NoticeKind, capacity: Capacity): boolean {
  switch (choice.level) {
    case 'mention':
      return capacity === 'mention';
    case 'participating':
      return takesPart(capacity) || FOR_PARTICIPANTS.has(kind);
    case 'watch':
      return !NOT_WATCHED.has(kind);
    case 'custom':
      return takesPart(capacity) || (isSettable(kind) && isEventOn(choice.events, kind));
    case 'disabled':
    case 'global': // as the global level itself: nothing lies behind it
      return false;
  }
}

const takesPart = (capacity: Capacity): boolean => capacity === 'participating' || capacity === 'mention';

const SETTABLE: ReadonlySet<string> = new Set(EVENT_NAMES);

const isSettable = (kind: NoticeKind): kind is NoticeKind & EventName => SETTABLE.has(kind);
