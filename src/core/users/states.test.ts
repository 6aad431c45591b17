import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../platform/errors.ts';
import type { Caller } from '../caller.ts';
import { ghostUser } from './ghost.ts';
import { stateAfter, type UserAction } from './states.ts';

const TODAY = '2026-06-30';
const user = (state: string, last_activity_on: string | null = null) => ({
  ...ghostUser,
  id: 5,
  state,
  last_activity_on,
});
const caller: Caller = {
  user: { ...ghostUser, id: 1 },
  admin: true,
  scopes: new Set(['api']),
  tokenId: 1,
  job: null,
};

const outcome = (action: UserAction, subject: ReturnType<typeof user>) => {
  try {
    return stateAfter(action, subject, caller, TODAY);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return error.message;
    throw error;
  }
};

const ACTIVE_LATELY =
  '403 Forbidden - The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated';

/** By action, the outcome for somebody who is active, blocked, deactivated and banned; null changes nothing. */
const table: Record<UserAction, [string | null, string | null, string | null, string | null]> = {
  block: ['blocked', null, 'blocked', 'blocked'],
  unblock: [
    null,
    'active',
    '403 Forbidden - Deactivated users cannot be unblocked by the API',
    '403 Forbidden - Banned users cannot be unblocked by the API',
  ],
  deactivate: [
    'deactivated',
    '403 Forbidden - A blocked user cannot be deactivated by the API',
    null,
    '403 Forbidden - A blocked user cannot be deactivated by the API',
  ],
  activate: [
    null,
    '403 Forbidden - A blocked user must be unblocked to be activated',
    'active',
    '403 Forbidden - A blocked user must be unblocked to be activated',
  ],
  ban: [
    'banned',
    'You cannot ban blocked users.',
    'You cannot ban deactivated users.',
    'You cannot ban banned users.',
  ],
  unban: [
    'You cannot unban active users.',
    'You cannot unban blocked users.',
    'You cannot unban deactivated users.',
    'active',
  ],
};

describe('states of a user', () => {
  for (const [action, outcomes] of Object.entries(table)) {
    it(`${action} does what GitLab does in every state`, () => {
      const states = ['active', 'blocked', 'deactivated', 'banned'];
      assert.deepEqual(
        states.map((state) => outcome(action as UserAction, user(state))),
        outcomes,
      );
    });
  }

  it('deactivates only who has not been active for ninety days', () => {
    assert.equal(outcome('deactivate', user('active', '2026-04-02')), ACTIVE_LATELY);
    assert.equal(outcome('deactivate', user('active', '2026-04-01')), 'deactivated');
  });

  it('lets nobody lock himself out', () => {
    const self = { ...user('active'), id: 1 };
    const text = '403 Forbidden - The API initiating user cannot be blocked by the API';
    assert.equal(outcome('block', self), text);
    assert.equal(outcome('ban', self), 'You cannot ban yourself.');
  });
});
