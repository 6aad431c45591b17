import { setImmediate as breathe } from 'node:timers/promises';
import { type Insertable, sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { LinkedThing } from '../unsubscribe/links.ts';
import type { NoticesTable } from './tables.ts';

/** SQLite is done with so many in 2 ms; requests go on in between. */
const ROWS_AT_ONCE = 100;

/** Which of these were not there yet, by their users. All of them are of one event and kind. */
export async function insertNotices(
  tx: Tx,
  rows: readonly Insertable<NoticesTable>[],
): Promise<ReadonlySet<number>> {
  const fresh = new Set<number>();
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    if (at > 0) await breathe();
    const inserted = await tx
      .insertInto('notices')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .onConflict((conflict) => conflict.columns(['event_id', 'kind', 'user_id']).doNothing())
      .returning('user_id')
      .execute();
    for (const { user_id: id } of inserted) fresh.add(id);
  }
  return fresh;
}

/** One mail to be written: of whom, and what goes into it. */
export interface Gathering {
  userId: number;
  gatheredBy: string;
}

/** What is due, the oldest first. */
export async function dueGatherings(db: Queryable, now: number, limit: number): Promise<Gathering[]> {
  const rows = await db
    .selectFrom('notices')
    .select(['user_id', 'gathered_by'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  const gatherings = new Map<string, Gathering>();
  for (const { user_id: userId, gathered_by: by } of rows) {
    if (by !== null) gatherings.set(`${userId} ${by}`, { userId, gatheredBy: by });
  }
  return [...gatherings.values()];
}

/** When the next one is due, or null. */
export async function nextDueAt(db: Queryable): Promise<number | null> {
  const row = await db
    .selectFrom('notices')
    .select((eb) => eb.fn.min('due_at').as('at'))
    .where('due_at', 'is not', null)
    .executeTakeFirst();
  return row?.at ?? null;
}

/** Everything that waits for the same mail, in the order in which it happened; also what is not due by itself yet. */
export function readGathered(
  db: Queryable,
  { userId, gatheredBy }: Gathering,
  limit: number,
): Promise<{ id: number; notice: string }[]> {
  return db
    .selectFrom('notices')
    .select(['id'])
    .select((eb) => eb.fn.coalesce('notice', sql<string>`''`).as('notice'))
    .where('user_id', '=', userId)
    .where('gathered_by', '=', gatheredBy)
    .where('due_at', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The rows stay for a while, so that their events tell nobody a second time. Throws when somebody else has told of one meanwhile. */
export async function markTold(tx: Tx, ids: readonly number[], mailId: number | null): Promise<void> {
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
    const batch = ids.slice(at, at + ROWS_AT_ONCE);
    const { numUpdatedRows } = await tx
      .updateTable('notices')
      .set({ due_at: null, notice: null, mail_id: mailId })
      .where('id', 'in', batch)
      .where('due_at', 'is not', null)
      .executeTakeFirstOrThrow();
    if (Number(numUpdatedRows) !== batch.length) throw new Error('another process has told of these');
  }
}

export async function putOffGathering(
  db: Queryable,
  { userId, gatheredBy }: Gathering,
  until: number,
): Promise<void> {
  await db
    .updateTable('notices')
    .set({ due_at: until })
    .where('user_id', '=', userId)
    .where('gathered_by', '=', gatheredBy)
    .where('due_at', 'is not', null)
    .execute();
}

/** The issues and merge requests that a digest told of. */
export async function thingsOf(
  db: Queryable,
  { mailId, userId }: { mailId: number; userId: number },
): Promise<LinkedThing[]> {
  const rows = await db
    .selectFrom('notices')
    .select(['thing_type', 'thing_id'])
    .distinct()
    .where('mail_id', '=', mailId)
    .where('user_id', '=', userId)
    .execute();
  return rows.flatMap(({ thing_type: type, thing_id: id }) =>
    type === null || id === null ? [] : [{ type, id }],
  );
}

/**
 * Deletes up to `limit` rows that wait for nothing: those of digests from before `digests`, whose links need them, all others
 * from before `others`. Returns how many went.
 */
export async function sweepNotices(
  db: Queryable,
  before: { digests: number; others: number },
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('notices')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('notices')
        .select('id')
        .where('created_at', '<', before.others)
        .where('due_at', 'is', null)
        .where((or) => or.or([or('mail_id', 'is', null), or('created_at', '<', before.digests)]))
        .orderBy('created_at')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
