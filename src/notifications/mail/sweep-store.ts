import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';

/** Gives up what has been tried for too long. Returns how many mails those are. */
export async function giveUpOld(
  db: Queryable,
  { before, now, limit }: { before: number; now: number; limit: number },
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({
      state: 'failed',
      next_attempt_at: 0,
      settled_at: now,
      answer: sql<string>`'given up after 5 days; last answer: ' || coalesce(answer, 'none')`,
    })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mails')
        .select('id')
        .where('state', '=', 'queued')
        .where('created_at', '<', before)
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** When the newest `count` mails that are done with begin; null when there are not more. */
export async function settledBeyond(db: Queryable, count: number): Promise<number | null> {
  const row = await db
    .selectFrom('mails')
    .select('settled_at')
    .where('settled_at', 'is not', null)
    .orderBy('settled_at', 'desc')
    .offset(count)
    .limit(1)
    .executeTakeFirst();
  return row?.settled_at ?? null;
}

/** Deletes up to `limit` mails that were done with before `before`. Returns how many. */
export async function deleteSettled(db: Queryable, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('mails')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mails')
        .select('id')
        .where('settled_at', 'is not', null)
        .where('settled_at', '<', before)
        .orderBy('settled_at')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Deletes up to `limit` contents from before `before` that no mail has any more. Returns how many. */
export async function deleteContents(db: Queryable, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('mail_contents')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mail_contents')
        .select('mail_contents.id')
        .where('mail_contents.created_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('mails').select('mails.id').whereRef('mails.content_id', '=', 'mail_contents.id'),
            ),
          ),
        )
        .orderBy('mail_contents.created_at')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
