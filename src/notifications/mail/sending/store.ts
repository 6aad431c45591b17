import { type Selectable, sql } from 'kysely';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { MailWithContent } from '../compose.ts';
import type { MailContentsTable, MailsTable } from '../tables.ts';

export interface DueMail {
  id: number;
  recipient: string;
  /** The oldest mail to this address that is still to be sent: it goes first. */
  head: number;
  /** When that one is due; in the future while it waits for another attempt. */
  headDueAt: number;
  /** It is being sent by somebody. */
  headUnderWay: boolean;
}

/** What is due, those that never failed first, without those to `busy` addresses. */
export async function dueMails(
  db: Queryable,
  { now, busy, limit }: { now: number; busy: readonly string[]; limit: number },
): Promise<DueMail[]> {
  const rows = await db
    .selectFrom('mails')
    .innerJoin('mails as head', (join) =>
      join.on(
        'head.id',
        '=',
        sql<number>`(select min(id) from mails as waiting
          where waiting.recipient = mails.recipient and waiting.settled_at is null)`,
      ),
    )
    .select(['mails.id', 'mails.recipient', 'head.id as head', 'head.next_attempt_at as head_due_at'])
    .select('head.state as head_state')
    .where('mails.state', '=', 'queued')
    .where('mails.next_attempt_at', '<=', now)
    .$if(busy.length > 0, (query) => query.where('mails.recipient', 'not in', busy))
    .orderBy('mails.next_attempt_at')
    .orderBy('mails.id')
    .limit(limit)
    .execute();
  return rows.map(({ id, recipient, head, head_due_at: headDueAt, head_state: state }) => ({
    id,
    recipient,
    head,
    headDueAt,
    headUnderWay: state === 'sending',
  }));
}

export type ClaimedMail = MailWithContent & {
  /** False: he was blocked or deactivated while the mail waited. */
  readerActive: boolean;
};

/** Marks those of `ids` that are still queued as being sent by `owner`, and returns them whole. */
export async function claimMails(tx: Tx, ids: readonly number[], owner: number): Promise<ClaimedMail[]> {
  const claimed = await tx
    .updateTable('mails')
    .set((eb) => ({ state: 'sending' as const, owner, attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', ids)
    .where('state', '=', 'queued')
    .returningAll()
    .execute();
  if (claimed.length === 0) return [];
  const contents = await contentsOf(
    tx,
    claimed.map(({ content_id: id }) => id),
  );
  const active = await activeAmong(
    tx,
    claimed.map(({ user_id: id }) => id),
  );
  return claimed
    .sort((a, b) => a.id - b.id)
    .map((mail) => ({
      ...mail,
      content: contents.get(mail.content_id)!,
      readerActive: active.has(mail.user_id),
    }));
}

async function activeAmong(tx: Tx, userIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...new Set(userIds)])
    .where('state', '=', 'active')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function contentsOf(
  tx: Tx,
  ids: readonly number[],
): Promise<Map<number, Selectable<MailContentsTable>>> {
  const rows = await tx
    .selectFrom('mail_contents')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Puts off mails that stand behind one that waits: they need not be looked at before. */
export async function putOff(db: Queryable, ids: readonly number[], until: number): Promise<void> {
  await db
    .updateTable('mails')
    .set({ next_attempt_at: until })
    .where('id', 'in', ids)
    .where('state', '=', 'queued')
    .execute();
}

export type Outcome = Pick<
  Selectable<MailsTable>,
  'id' | 'state' | 'next_attempt_at' | 'answer' | 'settled_at'
>;

/** Ends an attempt. Nothing but the process that claimed it may. */
export async function settle(tx: Tx, { id, ...outcome }: Outcome, owner: number): Promise<void> {
  await tx
    .updateTable('mails')
    .set({ ...outcome, owner: null })
    .where('id', '=', id)
    .where('owner', '=', owner)
    .execute();
}

/** The processes that have mails in hand. */
export async function ownersOfSending(db: Queryable): Promise<number[]> {
  const rows = await db
    .selectFrom('mails')
    .select('owner')
    .distinct()
    .where('state', '=', 'sending')
    .execute();
  return rows.flatMap(({ owner }) => (owner === null ? [] : [owner]));
}

/** What a process had in hand is queued again; save for `except`, which it still has. */
export async function requeue(db: Queryable, owner: number, except: readonly number[]): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({ state: 'queued', owner: null })
    .where('state', '=', 'sending')
    .where('owner', '=', owner)
    .$if(except.length > 0, (query) => query.where('id', 'not in', except))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** When the next mail that is put off is due, or null. */
export async function nextAttemptAt(db: Queryable, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('mails')
    .select('next_attempt_at as at')
    .where('state', '=', 'queued')
    .where('next_attempt_at', '>', now)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.at ?? null;
}

export async function countWaiting(db: Queryable): Promise<number> {
  const { count } = await db
    .selectFrom('mails')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('settled_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}
