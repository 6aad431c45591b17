import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../errors.ts';
import { RateLimiter } from './rate-limit.ts';

/** A limiter whose clock stands where the test puts it. */
function limiterAt(seconds: number) {
  const clock = { seconds, now: () => clock.seconds * 1000 };
  return { clock, limiter: new RateLimiter(clock) };
}

function refusal(limiter: RateLimiter, key: string, perMinute: number): ApiError | null {
  try {
    limiter.check(key, perMinute);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** How many calls in a row pass before the first refusal. */
function passing(limiter: RateLimiter, key: string, perMinute: number): number {
  let count = 0;
  while (refusal(limiter, key, perMinute) === null) count++;
  return count;
}

describe('RateLimiter', () => {
  it('lets as many through as the limit says, then answers GitLab’s 429', () => {
    const { limiter } = limiterAt(1_700_000_000);
    assert.equal(passing(limiter, 'search:1', 3), 3);
    const error = refusal(limiter, 'search:1', 3);
    assert.equal(error?.status, 429);
    assert.deepEqual(error?.body, {
      message: { error: 'This endpoint has been requested too many times. Try again later.' },
    });
    assert.equal(error?.headers['retry-after'], '60');
  });

  it('counts each key by itself', () => {
    const { limiter } = limiterAt(0);
    assert.equal(passing(limiter, 'search:1', 2), 2);
    assert.equal(passing(limiter, 'search:2', 2), 2);
    assert.equal(passing(limiter, 'jobs:1', 2), 2);
  });

  it('is off at 0', () => {
    const { limiter } = limiterAt(0);
    for (let call = 0; call < 1000; call++) limiter.check('search:1', 0);
  });

  it('slides: each call counts for a minute, no longer', () => {
    const { clock, limiter } = limiterAt(100);
    limiter.check('k', 2);
    clock.seconds = 130;
    limiter.check('k', 2);
    clock.seconds = 159;
    assert.equal(refusal(limiter, 'k', 2)?.headers['retry-after'], '1');
    clock.seconds = 160;
    assert.equal(passing(limiter, 'k', 2), 1, 'the first has left the window');
    assert.equal(refusal(limiter, 'k', 2)?.headers['retry-after'], '30');
    clock.seconds = 1000;
    assert.equal(passing(limiter, 'k', 2), 2);
  });

  it('never lets more through in any minute than the limit', () => {
    const { clock, limiter } = limiterAt(0);
    const passed: number[] = [];
    for (let step = 0; step < 3000; step++) {
      clock.seconds += (step * 7) % 3;
      if (refusal(limiter, 'k', 20) === null) passed.push(clock.seconds);
    }
    for (const from of passed) {
      const inMinute = passed.filter((at) => at >= from && at < from + 60).length;
      assert.ok(inMinute <= 20, `${inMinute} from ${from}`);
    }
    assert.ok(passed.length > 20 * 40, 'and not far fewer');
  });

  it('keeps to a new limit at once, and survives a clock set back', () => {
    const { clock, limiter } = limiterAt(500);
    assert.equal(passing(limiter, 'k', 5), 5);
    assert.equal(passing(limiter, 'k', 8), 3);
    clock.seconds = 100;
    assert.equal(refusal(limiter, 'k', 8)?.status, 429);
    clock.seconds = 700;
    assert.equal(passing(limiter, 'k', 8), 8);
  });
});
