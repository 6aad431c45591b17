import { findUsersByIds } from '../../core/users/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { NoticeAct, NoticeKind } from '../notice.ts';
import type { Candidate } from '../recipients.ts';
import type { ThingFacts, ThingRef, TrackerSource } from '../sources.ts';
import type { Happening } from './happening.ts';
import { mentionsOfThing, textOf } from './texts.ts';

/** What happens to issues and merge requests alike. */

export interface HappeningDeps {
  db: Queryable;
  tracker: TrackerSource;
}

/** Of the event that tells of it. */
export interface Told {
  eventId: number;
  at: number;
  userId: number | null;
}

export interface About {
  thing: ThingFacts;
  ref: ThingRef;
  told: Told;
}

export interface PeopleChange {
  added: number[];
  removed: number[];
}

/** Told to everybody who takes part or watches; the one who did it knows. */
export const done = ({ thing, ref, told }: About, kind: NoticeKind, act: NoticeAct = {}): Happening => ({
  eventId: told.eventId,
  at: told.at,
  kind,
  actorId: told.userId,
  fromId: told.userId,
  thing,
  ref,
  act,
  audience: 'everybody',
  candidates: [],
});

/** Something new: it is its author who acts, also where somebody else made it for him. */
export async function opened(deps: HappeningDeps, about: About, kind: NoticeKind): Promise<Happening> {
  const { thing } = about;
  const [assignees, reviewers] = await namesOf(deps.db, [thing.assigneeIds, thing.reviewerIds]);
  const { sourceBranch, targetBranch } = thing;
  const act: NoticeAct = {
    ...textOf(thing.description),
    ...(assignees!.length > 0 && { assignees: assignees! }),
    ...(reviewers!.length > 0 && { reviewers: reviewers! }),
    ...(sourceBranch !== null && { sourceBranch }),
    ...(targetBranch !== null && { targetBranch }),
  };
  return {
    ...done(about, kind, act),
    actorId: thing.authorId,
    fromId: thing.authorId,
    candidates: asCandidates(thing.assigneeIds, { capacity: 'participating', reason: 'assigned' }),
    mentions: mentionsOfThing(thing),
    labelIds: thing.labelIds,
  };
}

/** Other people are to do it: they and those who were are told as if they were named. */
export async function reassigned(
  deps: HappeningDeps,
  about: About,
  {
    kind,
    reason,
    change,
  }: { kind: NoticeKind; reason: 'assigned' | 'review_requested'; change: PeopleChange },
): Promise<Happening> {
  const present = reason === 'assigned' ? about.thing.assigneeIds : about.thing.reviewerIds;
  const [added, removed] = await namesOf(deps.db, [present, change.removed]);
  return {
    ...done(about, kind, { added: added!, removed: removed! }),
    candidates: [
      ...asCandidates(present, { capacity: 'mention', reason }),
      ...asCandidates(change.removed, { capacity: 'mention', reason: 'unassigned' }),
    ],
  };
}

/** Labels are told to those who have subscribed to them, and to nobody else. */
export async function relabeled(
  deps: HappeningDeps,
  about: About,
  { kind, change }: { kind: NoticeKind; change: PeopleChange },
): Promise<Happening[]> {
  if (change.added.length === 0) return [];
  const act = { added: await deps.tracker.labelNames(change.added) };
  return [{ ...done(about, kind, act), audience: 'named', labelIds: change.added }];
}

/** Names that an edit has added to the texts. */
export const newlyNamed = (about: About, kind: NoticeKind, names: readonly string[]): Happening => ({
  ...done(about, kind, textOf(about.thing.description)),
  audience: 'named',
  mentions: { names, authorId: about.told.userId },
});

export const asCandidates = (userIds: readonly number[], candidate: Omit<Candidate, 'userId'>): Candidate[] =>
  userIds.map((userId) => ({ userId, ...candidate }));

/** Lists of people by name, by one query. */
async function namesOf(db: Queryable, lists: readonly (readonly number[])[]): Promise<string[][]> {
  const users = await findUsersByIds(db, lists.flat());
  return lists.map((ids) => ids.flatMap((id) => users.get(id)?.name ?? []));
}
