import type { Clock } from '../platform/clock.ts';
import type { Tx } from '../platform/db/tables.ts';
import { afterCommit } from '../platform/db/transactions.ts';
import { appointmentOf } from './digest/schedule.ts';
import { insertNotices } from './digest/store.ts';
import type { EnqueueMail } from './mail/outbox.ts';
import { noticeMail } from './mail/render/notice-mail.ts';
import { unsubscribable } from './mail/render/unsubscribable.ts';
import type { Notice } from './notice.ts';

/** A notice, and where its mail goes. */
export interface Addressed {
  notice: Notice;
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
export type Tell = (tx: Tx, addressed: readonly Addressed[]) => Promise<void>;

/**
 * Writes a row for each notice, and the mails of those that go out at once. All of it is part of the caller's transaction, and an
 * event that is handed out a second time tells nobody again. Notices of one event and kind say the same to all and share a mail.
 */
export async function tell(tx: Tx, deps: TellDeps, addressed: readonly Addressed[]): Promise<void> {
  const groups = Map.groupBy(addressed, ({ notice }) => `${notice.eventId} ${notice.kind}`);
  for (const group of groups.values()) await tellOne(tx, deps, group);
}

async function tellOne(tx: Tx, deps: TellDeps, group: readonly Addressed[]): Promise<void> {
  const now = deps.clock.now();
  const fresh = await insertNotices(
    tx,
    group.map(({ notice }) => rowOf(notice, now)),
  );
  if (fresh.size === 0) return;
  const told = group.filter(({ notice }) => fresh.has(notice.userId));
  const immediate = told.filter(({ notice }) => notice.delivery === 'immediate');
  if (told.length > immediate.length) afterCommit(tx, deps.onWaiting);
  if (immediate.length === 0) return;
  const receivers = immediate.map(({ notice: { userId, reason }, address }) => ({ userId, address, reason }));
  await deps.enqueue(tx, await noticeMail(immediate[0]!.notice, deps.baseUrl()), receivers);
}

function rowOf(notice: Notice, now: number) {
  const appointment = appointmentOf(notice, now);
  const thing = unsubscribable(notice);
  return {
    event_id: notice.eventId,
    kind: notice.kind,
    user_id: notice.userId,
    mail_id: null,
    thing_type: thing?.type ?? null,
    thing_id: thing?.id ?? null,
    delivery: notice.delivery,
    gathered_by: appointment?.gatheredBy ?? null,
    due_at: appointment?.dueAt ?? null,
    notice: appointment === null ? null : JSON.stringify(notice),
    created_at: now,
  };
}
