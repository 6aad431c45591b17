import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deservesRetry, type Failure } from './auto-retry.ts';

const failed = (reason: string, more: Partial<Failure> = {}): Failure => ({
  reason,
  exitCode: null,
  retries: 0,
  ...more,
});
const none = { max: 0, when: [], exitCodes: [] };

describe('a failed job', () => {
  it('is begun again as often as it says', () => {
    const retry = { max: 2, when: [], exitCodes: [] };
    const tries = [0, 1, 2, 3].map((retries) => deservesRetry(retry, failed('script_failure', { retries })));
    assert.deepEqual(tries, [true, true, false, false]);
    assert.equal(deservesRetry(none, failed('script_failure')), false);
    assert.equal(deservesRetry(undefined, failed('script_failure')), false);
  });

  it('is begun again for the reasons and exit codes it names', () => {
    const byReason = { max: 1, when: ['api_failure', 'script_failure'], exitCodes: [] };
    assert.ok(deservesRetry(byReason, failed('script_failure')));
    assert.ok(!deservesRetry(byReason, failed('runner_system_failure')));
    assert.ok(deservesRetry({ ...byReason, when: ['always'] }, failed('runner_system_failure')));
    const byCode = { max: 1, when: [], exitCodes: [137] };
    assert.ok(deservesRetry(byCode, failed('script_failure', { exitCode: 137 })));
    assert.ok(!deservesRetry(byCode, failed('script_failure', { exitCode: 1 })));
    const either = { ...byReason, exitCodes: [137] };
    assert.ok(deservesRetry(either, failed('runner_system_failure', { exitCode: 137 })));
    assert.ok(deservesRetry({ ...byCode, when: ['always'] }, failed('script_failure', { exitCode: 1 })));
  });

  it('is begun again twice where the service itself is to blame, and never where it would fail again', () => {
    for (const retry of [none, undefined]) {
      assert.ok(deservesRetry(retry, failed('scheduler_failure', { retries: 1 })));
      assert.ok(!deservesRetry(retry, failed('scheduler_failure', { retries: 2 })));
    }
    assert.ok(
      !deservesRetry({ max: 2, when: ['always'], exitCodes: [] }, failed('missing_dependency_failure')),
    );
  });
});
