import type { Core } from '../../core/core.ts';
import { labelSubscribers, subscriptionsOn } from '../subscriptions/store.ts';
import { noteFacts } from './notes.ts';
import { labelNames, namingTexts, writersOf } from './store.ts';
import { findThing, type ThingRef } from './things.ts';

const NO_SUBSCRIPTIONS = { on: [] as number[], off: [] as number[] };

/** What this room tells notifications of its things; each answer takes a few queries, however much is written about a thing. */
export function notificationSource(core: Pick<Core, 'db' | 'repositoryOf'>) {
  const { db } = core;
  return {
    thing: (ref: ThingRef) => findThing(core, ref),
    note: (id: number) => noteFacts(db, id),
    voices: async (ref: ThingRef) => ({
      writers: await writersOf(db, ref),
      texts: await namingTexts(db, ref),
    }),
    subscriptions: async (ref: ThingRef) =>
      ref.type === 'Commit' ? NO_SUBSCRIPTIONS : subscriptionsOn(db, ref),
    labelSubscribers: (labelIds: readonly number[], projectId: number) =>
      labelSubscribers(db, labelIds, projectId),
    labelNames: (labelIds: readonly number[]) => labelNames(db, labelIds),
  };
}
