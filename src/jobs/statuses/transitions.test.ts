import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JobStatus } from '../states.ts';
import type { JobRow } from '../tables.ts';
import { POSTED_STATES, type PostedState, transition } from './transitions.ts';

const at = (status: JobStatus): JobRow => ({
  id: 1,
  kind: 'external',
  project_id: 1,
  pipeline_id: 1,
  name: 'ci',
  stage: 'external',
  stage_idx: 1_000_000,
  ref: 'main',
  tag: 0,
  status,
  description: null,
  target_url: null,
  coverage: null,
  allow_failure: 0,
  user_id: 1,
  retried: 0,
  failure_reason: null,
  created_at: 1,
  updated_at: 1,
  queued_at: 1,
  started_at: status === 'running' ? 2 : null,
  finished_at: null,
  when: 'on_success',
  start_in: null,
  scheduled_at: null,
  scheduling: 'stage',
  protected: 0,
  interruptible: 0,
  resource_group: null,
  environment: null,
  tags: '[]',
  timeout: null,
  exit_code: null,
  runner_id: null,
  runner_manager_id: null,
  cancel_gracefully: 0,
  erased_at: null,
  erased_by_id: null,
  artifacts_expire_at: null,
});

const refused: Record<'pending' | 'running', Partial<Record<PostedState, string>>> = {
  pending: { pending: 'enqueue' },
  running: { pending: 'enqueue', running: 'run', skipped: 'skip' },
};

describe('posting a state', () => {
  for (const state of POSTED_STATES) {
    it(`${state} makes a new status of that state`, () => {
      assert.equal(transition(null, state, 5).status, state);
    });
    for (const from of ['pending', 'running'] as const) {
      const event = refused[from][state];
      it(`${state} on a ${from} status ${event ? 'is refused' : 'moves it on'}`, () => {
        if (!event) return assert.equal(transition(at(from), state, 5).status, state);
        assert.throws(() => transition(at(from), state, 5), {
          status: 400,
          message: `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`,
        });
      });
    }
  }

  it('notes when it started and when it ended', () => {
    const times = ({
      started_at,
      finished_at,
    }: {
      started_at: number | null;
      finished_at: number | null;
    }) => [started_at, finished_at];
    assert.deepEqual(times(transition(null, 'pending', 5)), [null, null]);
    assert.deepEqual(times(transition(null, 'running', 5)), [5, null]);
    assert.deepEqual(times(transition(at('pending'), 'running', 5)), [5, null]);
    assert.deepEqual(times(transition(null, 'success', 5)), [null, 5]);
    assert.deepEqual(times(transition(at('running'), 'success', 5)), [2, 5]);
    assert.deepEqual(times(transition(at('running'), 'canceled', 5)), [2, 5]);
    assert.deepEqual(times(transition(null, 'skipped', 5)), [null, null]);
  });

  it('gives a failure its reason', () => {
    assert.equal(transition(at('running'), 'failed', 5).failure_reason, 'api_failure');
    assert.equal(transition(at('running'), 'success', 5).failure_reason, null);
  });
});
