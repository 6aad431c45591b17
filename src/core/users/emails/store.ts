import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { UserEmail } from '../../tables.ts';

/** Addresses that nobody has confirmed count only when they are newer than `since`. */
const alive = (db: Queryable, since: number) =>
  db
    .selectFrom('user_emails')
    .selectAll()
    .where((eb) => eb.or([eb('confirmed_at', 'is not', null), eb('created_at', '>=', since)]));

export function listEmails(db: Queryable, userId: number, since: number): Promise<UserEmail[]> {
  return alive(db, since).where('user_id', '=', userId).orderBy('id').execute();
}

export function findEmail(
  db: Queryable,
  { userId, id }: { userId: number; id: number },
  since: number,
): Promise<UserEmail | undefined> {
  return alive(db, since).where('user_id', '=', userId).where('id', '=', id).executeTakeFirst();
}

export function findConfirmedEmail(
  db: Queryable,
  userId: number,
  email: string,
): Promise<UserEmail | undefined> {
  return db
    .selectFrom('user_emails')
    .selectAll()
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
}

export function findAnyEmail(db: Queryable, email: string): Promise<UserEmail | undefined> {
  return db
    .selectFrom('user_emails')
    .selectAll()
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
}

export async function isMainAddress(db: Queryable, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
  return found !== undefined;
}

export function insertEmail(
  tx: Tx,
  values: { user_id: number; email: string; confirmed_at: number | null; created_at: number },
): Promise<UserEmail> {
  return tx
    .insertInto('user_emails')
    .values({ ...values, token_hash: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function countEmails(db: Queryable, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('user_emails')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function deleteEmail(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('user_emails').where('id', '=', id).execute();
}

/** Anybody's addresses that were not confirmed in time. */
export async function deleteUnconfirmed(tx: Tx, before: number): Promise<void> {
  await tx
    .deleteFrom('user_emails')
    .where('confirmed_at', 'is', null)
    .where('created_at', '<', before)
    .execute();
}

/** Takes the token for an address that has none yet and waits to be confirmed; undefined for any other. */
export function setToken(tx: Tx, id: number, tokenHash: string): Promise<UserEmail | undefined> {
  return tx
    .updateTable('user_emails')
    .set({ token_hash: tokenHash })
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .where('token_hash', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

export function findByToken(db: Queryable, tokenHash: string, since: number): Promise<UserEmail | undefined> {
  return alive(db, since).where('token_hash', '=', tokenHash).executeTakeFirst();
}

export async function setConfirmed(tx: Tx, id: number, now: number): Promise<void> {
  await tx
    .updateTable('user_emails')
    .set({ confirmed_at: now })
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .execute();
}
