import type { Clock } from '../platform/clock.ts';
import type { Tx } from '../platform/db/tables.ts';
import { afterCommit } from '../platform/db/transactions.ts';
import { appointmentOf } from './digest/schedule.ts';
import { insertNotices } from './digest/store.ts';
import type { EnqueueMail } from './mail/outbox.ts';
import { noticeMail } from './mail/render/notice-mail.ts';
import { unsubscribable } from './mail/render/unsubscribable.ts';
import type { Delivery, Notice, NoticeBase, NoticeReason } from './notice.ts';

/** One act, and everybody who is to be told of it. */
export interface Announcement {
  /** The same for all. */
  notice: NoticeBase;
  /** Nobody twice. */
  receivers: readonly Receiver[];
}

/** Somebody who is told: why, when, and where his mail goes. */
export interface Receiver {
  userId: number;
  reason: NoticeReason;
  delivery: Delivery;
  address: string;
}

export interface TellDeps {
  clock: Clock;
  baseUrl: () => string;
  enqueue: EnqueueMail;
  /** Called after a commit when something waits for its digest. */
  onWaiting: () => void;
}

/** Tells people in the caller's transaction, see `tell`. */
export type Tell = (tx: Tx, announcement: Announcement) => Promise<void>;

/**
 * Writes a row for each receiver, and the mails of those that go out at once. All of it is part of the caller's transaction, and
 * an event that is handed out a second time tells nobody again. The mails share what they say.
 */
export async function tell(tx: Tx, deps: TellDeps, { notice, receivers }: Announcement): Promise<void> {
  const now = deps.clock.now();
  const fresh = await insertNotices(
    tx,
    receivers.map((receiver) => rowOf(notice, receiver, now)),
  );
  if (fresh.size === 0) return;
  const told = receivers.filter(({ userId }) => fresh.has(userId));
  const immediate = told.filter(({ delivery }) => delivery === 'immediate');
  if (told.length > immediate.length) afterCommit(tx, deps.onWaiting);
  if (immediate.length > 0) await deps.enqueue(tx, await noticeMail(notice, deps.baseUrl()), immediate);
}

function rowOf(base: NoticeBase, { userId, reason, delivery }: Receiver, now: number) {
  const appointment = appointmentOf(base, delivery, now);
  const thing = unsubscribable(base);
  return {
    event_id: base.eventId,
    kind: base.kind,
    user_id: userId,
    mail_id: null,
    thing_type: thing?.type ?? null,
    thing_id: thing?.id ?? null,
    delivery,
    gathered_by: appointment?.gatheredBy ?? null,
    due_at: appointment?.dueAt ?? null,
    notice:
      appointment === null ? null : JSON.stringify({ ...base, userId, reason, delivery } satisfies Notice),
    created_at: now,
  };
}
