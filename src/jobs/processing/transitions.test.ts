import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JOB_STATUSES, type JobStatus } from '../states.ts';
import { mayMove } from './transitions.ts';

/** GitLab's events, as they are written down of it: from which states, to which. */
const EVENTS: Record<string, [from: string, to: string]> = {
  process: ['skipped manual', 'created'],
  enqueue: ['created skipped manual scheduled', 'waiting_for_resource preparing pending'],
  'enqueue after the resource': ['waiting_for_resource', 'preparing pending'],
  'enqueue after the preparation': ['preparing waiting_for_callback', 'pending'],
  'wait for a callback': ['created pending', 'waiting_for_callback'],
  actionize: ['created', 'manual'],
  schedule: ['created', 'scheduled'],
  unschedule: ['scheduled', 'manual'],
  run: ['pending', 'running'],
  skip: ['created waiting_for_resource preparing pending', 'skipped'],
  drop: [
    'created waiting_for_resource preparing waiting_for_callback pending running manual scheduled',
    'failed',
  ],
  succeed: ['created waiting_for_resource preparing waiting_for_callback pending running', 'success'],
  'cancel softly': ['running', 'canceling'],
  cancel: [
    'created waiting_for_resource preparing waiting_for_callback pending running manual scheduled canceling',
    'canceled',
  ],
};

const allowed = (from: JobStatus, to: JobStatus): boolean =>
  Object.values(EVENTS).some(
    ([froms, tos]) => froms.split(' ').includes(from) && tos.split(' ').includes(to),
  );

describe('the states of a job', () => {
  it('change as the events of GitLab have it, and in no other way', () => {
    for (const status of JOB_STATUSES) {
      for (const to of JOB_STATUSES) {
        assert.equal(mayMove({ kind: 'build', status }, to), allowed(status, to), `${status} to ${to}`);
      }
    }
  });

  it('of a bridge go back to waiting when its pipeline is begun again', () => {
    for (const status of ['success', 'failed', 'canceled'] as const) {
      assert.ok(mayMove({ kind: 'bridge', status }, 'pending'));
      assert.ok(!mayMove({ kind: 'build', status }, 'pending'));
    }
  });
});
