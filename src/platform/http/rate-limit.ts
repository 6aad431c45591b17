import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';

const WINDOW_SECONDS = 60;
/** 240 bytes each: some 3 MB when full. Whoever is crowded out starts anew, which is kinder than refusing him. */
const MAX_KEYS = 10_000;

/** How often one key was used in each of the last sixty seconds. */
interface Window {
  counts: Uint32Array;
  /** The second that was written last. */
  second: number;
  total: number;
}

/** "So many calls a minute", for each key by itself: a window that slides by seconds. Counts in this process only. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #windows = new LRUCache<string, Window>({ max: MAX_KEYS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one call of `key` (`search:12`); throws 429 with Retry-After from the one after `perMinute` on. 0 is no limit. */
  check(key: string, perMinute: number): void {
    if (perMinute <= 0) return;
    const second = Math.floor(this.#clock.now() / 1000);
    const window = this.#windows.get(key) ?? this.#open(key, second);
    slide(window, second);
    if (window.total >= perMinute) {
      const wait = secondsUntilFree(window, perMinute);
      throw new ApiError('rate_limited', {}, { headers: { 'retry-after': String(wait) } });
    }
    window.counts[second % WINDOW_SECONDS]! += 1;
    window.total += 1;
  }

  #open(key: string, second: number): Window {
    const window = { counts: new Uint32Array(WINDOW_SECONDS), second, total: 0 };
    this.#windows.set(key, window);
    return window;
  }
}

/** Forgets the seconds that have left the window. A clock that was set back forgets nothing and goes on from there. */
function slide(window: Window, second: number): void {
  const passed = Math.min(Math.max(second - window.second, 0), WINDOW_SECONDS);
  for (let step = 1; step <= passed; step++) {
    const slot = (window.second + step) % WINDOW_SECONDS;
    window.total -= window.counts[slot] ?? 0;
    window.counts[slot] = 0;
  }
  window.second = second;
}

/** When enough of the oldest calls have left the window for one more. */
function secondsUntilFree(window: Window, perMinute: number): number {
  let total = window.total;
  for (let wait = 1; wait < WINDOW_SECONDS; wait++) {
    total -= window.counts[(window.second + wait) % WINDOW_SECONDS] ?? 0;
    if (total < perMinute) return wait;
  }
  return WINDOW_SECONDS;
}
