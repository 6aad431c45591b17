import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NOTICE_REASONS } from './notice.ts';
import { type Candidate, type Capacity, recipientsOf, type Standing } from './recipients.ts';
import { NOTHING_CHOSEN } from './settings/event-names.ts';
import type { NotificationLevel } from './settings/levels.ts';

const ADA = 1;
const BOB = 2;

const standing = (level: NotificationLevel, more: Partial<Standing> = {}): Standing => ({
  choice: { level, events: NOTHING_CHOSEN },
  mayBeTold: true,
  wantsOwn: false,
  ...more,
});

const as = (capacity: Capacity, reason: Candidate['reason'], userId = ADA): Candidate => ({
  userId,
  capacity,
  reason,
});

function told(
  candidates: Candidate[],
  {
    of = standing('participating'),
    actorId = null,
    unsubscribed = [],
  }: { of?: Standing | undefined; actorId?: number | null; unsubscribed?: number[] } = {},
) {
  const recipients = recipientsOf({
    kind: 'new_note',
    actorId,
    candidates,
    unsubscribed: new Set(unsubscribed),
    standingOf: (userId) => (userId === ADA || userId === BOB ? of : undefined),
  });
  return recipients.map(({ userId, reason }) => `${userId} ${reason}`);
}

describe('recipients', () => {
  it('are told once, for the strongest of their reasons, in whichever order those come', () => {
    const reasons = NOTICE_REASONS.filter((reason) => reason !== 'own_activity');
    for (const [place, strongest] of reasons.entries()) {
      const weaker = reasons.slice(place).map((reason) => as('mention', reason));
      assert.deepEqual(told(weaker), [`${ADA} ${strongest}`]);
      assert.deepEqual(told(weaker.reverse()), [`${ADA} ${strongest}`]);
    }
  });

  it('are told for a weaker reason where the level refuses the stronger one', () => {
    const candidates = [as('participating', 'assigned'), as('mention', 'mentioned')];
    assert.deepEqual(told(candidates, { of: standing('mention') }), [`${ADA} mentioned`]);
  });

  it('are not those who did it, unless they want to be told: then that is the reason', () => {
    const candidates = [as('mention', 'mentioned'), as('mention', 'mentioned', BOB)];
    assert.deepEqual(told(candidates, { actorId: ADA }), [`${BOB} mentioned`]);
    const of = standing('participating', { wantsOwn: true });
    assert.deepEqual(told(candidates, { actorId: ADA, of }), [`${ADA} own_activity`, `${BOB} mentioned`]);
    assert.deepEqual(
      told(candidates, { actorId: ADA, of: { ...of, choice: standing('disabled').choice } }),
      [],
    );
  });

  it('are never those who may not be told, or are not there', () => {
    const of = standing('watch', { mayBeTold: false });
    const capacities: Capacity[] = ['subscription', 'mention', 'participating', 'watch', 'custom'];
    for (const capacity of capacities) assert.deepEqual(told([as(capacity, 'mentioned')], { of }), []);
    assert.deepEqual(told([as('subscription', 'subscribed', 77)]), []);
  });

  it('are subscribers at every level, and nobody who has unsubscribed but who is named', () => {
    const levels: NotificationLevel[] = ['disabled', 'mention', 'global', 'participating', 'watch', 'custom'];
    for (const level of levels) {
      const of = standing(level);
      assert.deepEqual(told([as('subscription', 'subscribed')], { of }), [`${ADA} subscribed`]);
      const left = { of, unsubscribed: [ADA] };
      assert.deepEqual(told([as('subscription', 'subscribed')], left), []);
      assert.deepEqual(told([as('participating', 'author'), as('watch', 'watching')], left), []);
      const named = level === 'disabled' || level === 'global' ? [] : [`${ADA} mentioned`];
      assert.deepEqual(told([as('mention', 'mentioned')], left), named);
    }
  });
});
