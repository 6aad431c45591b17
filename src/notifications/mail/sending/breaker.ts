import type { Clock } from '../../../platform/clock.ts';
import { type Backoff, waitMs } from './backoff.ts';

/** So many failures in a row are no broken connection any more but a server that is away. */
const TOLERATED = 3;

/** Leaves a server alone that cannot be reached, and tries it with one mail before it gets all of them again. */
export interface Breaker {
  /** Ms; 0 when all is well. */
  readonly pausedUntil: number;
  /** How many mails may be under way. */
  places(now: number): number;
  succeeded(): void;
  failed(): void;
}

export function openBreaker(clock: Clock, backoff: Backoff): Breaker {
  let failures = 0;
  let pausedUntil = 0;
  return {
    get pausedUntil() {
      return pausedUntil;
    },
    places(now) {
      if (now < pausedUntil) return 0;
      return failures >= TOLERATED ? 1 : Number.POSITIVE_INFINITY;
    },
    succeeded() {
      failures = 0;
      pausedUntil = 0;
    },
    failed() {
      failures++;
      if (failures >= TOLERATED) pausedUntil = clock.now() + waitMs(backoff, failures - TOLERATED + 1);
    },
  };
}
