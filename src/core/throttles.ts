import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { CountCalls } from '../platform/http/api.ts';
import type { ApplicationSettings } from './settings/registry.ts';
import type { Settings } from './settings/settings.ts';

/** 150 bytes each: some 2 MB when full. Whoever is crowded out starts anew, which is kinder than refusing him. */
const MAX_CALLERS = 10_000;

type ThrottleName = 'throttle_authenticated_api' | 'throttle_unauthenticated_api';

/** So many calls in so many seconds, from one full period to the next. */
interface Quota {
  name: ThrottleName;
  calls: number;
  seconds: number;
}

interface Window {
  /** Seconds since the epoch. */
  endsAt: number;
  observed: number;
}

/**
 * How often each user, and each address that says nobody who it is, may call at all: GitLab's `throttle_*` settings, off as they
 * come. Counts in this process only.
 */
export class Throttles implements CountCalls {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #windows = new LRUCache<string, Window>({ max: MAX_CALLERS });

  constructor({ settings, clock }: { settings: Settings; clock: Clock }) {
    this.#settings = settings;
    this.#clock = clock;
  }

  ofUser(userId: number): Promise<void> {
    return this.#count('throttle_authenticated_api', userId);
  }

  ofAddress(address: string): Promise<void> {
    return this.#count('throttle_unauthenticated_api', address);
  }

  async #count(name: ThrottleName, caller: number | string): Promise<void> {
    const settings = await this.#settings.current();
    if (!settings[`${name}_enabled`]) return;
    const quota = quotaIn(settings, name);
    const now = Math.floor(this.#clock.now() / 1000);
    const endsAt = (Math.floor(now / quota.seconds) + 1) * quota.seconds;
    const key = `${name} ${caller}`;
    let window = this.#windows.get(key);
    if (window?.endsAt !== endsAt) {
      window = { endsAt, observed: 0 };
      this.#windows.set(key, window);
    }
    window.observed += 1;
    if (window.observed > quota.calls) throw tooMany(quota, window, { now, settings });
  }
}

const quotaIn = (settings: Readonly<ApplicationSettings>, name: ThrottleName): Quota => ({
  name,
  calls: settings[`${name}_requests_per_period`],
  seconds: settings[`${name}_period_in_seconds`],
});

/** GitLab's answer: plain text, and what clients need to know when to come again. `RateLimit-Limit` is by the minute. */
function tooMany(
  { name, calls, seconds }: Quota,
  { observed, endsAt }: Window,
  { now, settings }: { now: number; settings: Readonly<ApplicationSettings> },
): ApiError {
  const text = settings.rate_limiting_response_text || 'Retry later';
  const headers = {
    'ratelimit-name': name,
    'ratelimit-limit': String(Math.ceil((calls * 60) / seconds)),
    'ratelimit-observed': String(observed),
    'ratelimit-remaining': '0',
    'ratelimit-reset': String(endsAt),
    'ratelimit-resettime': new Date(endsAt * 1000).toUTCString(),
    'retry-after': String(endsAt - now),
  };
  return new ApiError('throttled', { text: `${text}\n` }, { headers });
}
