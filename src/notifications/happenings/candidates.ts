import { mentionedNames } from '../../core/mentions/names.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { NoticeReason } from '../notice.ts';
import type { Candidate, Capacity } from '../recipients.ts';
import type { ResolvedSetting } from '../settings/resolve.ts';
import type { Subscriptions, ThingFacts, TrackerSource, Voices } from '../sources.ts';
import type { Happening, Mentions } from './happening.ts';
import { usersMentioned } from './mentioned.ts';

/** A candidate who may be one only because of an internal note, which not everybody may read. */
export interface Considered extends Candidate {
  internal: boolean;
}

export interface CandidatesDeps {
  db: Queryable;
  tracker: TrackerSource;
  today: string;
}

const NO_VOICES: Voices = { writers: [], texts: [] };
const NO_SUBSCRIPTIONS: Subscriptions = { on: [], off: [] };

/** Everybody whom a happening may concern, and who wants no more of the thing; nothing is decided yet. */
export async function candidatesOf(
  deps: CandidatesDeps,
  project: ProjectWithNamespace,
  happening: Happening,
  watchers: ReadonlyMap<number, ResolvedSetting>,
): Promise<{ candidates: Considered[]; unsubscribed: ReadonlySet<number> }> {
  const { ref } = happening;
  const subscriptions = ref === null ? NO_SUBSCRIPTIONS : await deps.tracker.subscriptions(ref);
  const everybody = happening.audience === 'everybody';
  const voices = everybody && ref !== null ? await deps.tracker.voices(ref) : NO_VOICES;
  const candidates = [
    ...happening.candidates.map(openly),
    ...(await namedPeople(deps, project, happening, everybody ? voices : null)),
    ...(await labelSubscribers(deps, happening)),
    ...(everybody ? [...participants(happening.thing, voices), ...watching(watchers)] : []),
    ...(everybody ? as('subscription', 'subscribed', subscriptions.on) : []),
  ];
  return { candidates, unsubscribed: new Set(subscriptions.off) };
}

const openly = (candidate: Candidate): Considered => ({ ...candidate, internal: false });

const as = (capacity: Capacity, reason: NoticeReason, userIds: Iterable<number>): Considered[] =>
  [...userIds].map((userId) => ({ userId, capacity, reason, internal: false }));

function participants({ authorId, assigneeIds, reviewerIds }: ThingFacts, { writers }: Voices): Considered[] {
  return [
    ...(authorId === null ? [] : as('participating', 'author', [authorId])),
    ...as('participating', 'participated', [...assigneeIds, ...reviewerIds]),
    ...writers.map(({ userId, internal }) => ({
      userId,
      capacity: 'participating' as const,
      reason: 'participated' as const,
      internal,
    })),
  ];
}

function watching(watchers: ReadonlyMap<number, ResolvedSetting>): Considered[] {
  const found: Considered[] = [];
  for (const [userId, { level }] of watchers) {
    const isCustom = level === 'custom';
    const [capacity, reason] = isCustom ? (['custom', 'custom'] as const) : (['watch', 'watching'] as const);
    found.push({ userId, capacity, reason, internal: false });
  }
  return found;
}

/** Who is named now, and who takes part because he was named in the thing's texts or its notes. */
async function namedPeople(
  { db, today }: CandidatesDeps,
  project: ProjectWithNamespace,
  { mentions, thing }: Happening,
  voices: Voices | null,
): Promise<Considered[]> {
  const now: Mentions[] = mentions ? [mentions] : [];
  const before = voices === null ? [] : namingTexts(thing, voices);
  const all = [...now, ...before];
  if (all.every(({ names }) => names.length === 0)) return [];
  const found = await usersMentioned(db, project, { texts: all, today });
  return [
    ...(mentions ? as('mention', 'mentioned', found[0]!) : []),
    ...before.flatMap(({ internal }, index) =>
      as('participating', 'participated', found[now.length + index]!).map((one) => ({ ...one, internal })),
    ),
  ];
}

function namingTexts(thing: ThingFacts, voices: Voices): (Mentions & { internal: boolean })[] {
  const own = { text: `${thing.title}\n\n${thing.description ?? ''}`, authorId: thing.authorId };
  return [{ ...own, internal: false }, ...voices.texts].map(({ text, authorId, internal }) => ({
    names: mentionedNames(text),
    authorId,
    internal,
  }));
}

async function labelSubscribers(
  { tracker }: CandidatesDeps,
  { labelIds = [], thing }: Happening,
): Promise<Considered[]> {
  if (labelIds.length === 0) return [];
  return as('subscription', 'subscribed', await tracker.labelSubscribers(labelIds, thing.projectId));
}
