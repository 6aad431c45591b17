import type { Core } from '../../core/core.ts';
import { notFoundWhenGone } from '../gone.ts';
import {
  endLabelSubscriptions,
  type LabelUse,
  type Subscribable,
  setLabelSubscription,
  setSubscription,
} from './store.ts';

type Deps = Pick<Core, 'database' | 'clock'>;

/** Says for a user whether he wants to hear of a thing. Throws 404 when it is gone meanwhile. */
export function subscribe(
  { database, clock }: Deps,
  userId: number,
  thing: Subscribable,
  subscribed: boolean,
): Promise<void> {
  const said = { subscribed, now: clock.now() };
  return notFoundWhenGone(database.transaction((tx) => setSubscription(tx, userId, thing, said)));
}

/** The same for what gets a label; one is told of no label without having asked for it, so that leaving is forgetting. */
export function subscribeToLabel(
  { database, clock }: Deps,
  userId: number,
  use: LabelUse,
  subscribed: boolean,
): Promise<void> {
  const said = { subscribed, now: clock.now() };
  const work = subscribed
    ? database.transaction((tx) => setLabelSubscription(tx, userId, use, said))
    : database.transaction((tx) => endLabelSubscriptions(tx, userId, use));
  return notFoundWhenGone(work);
}
