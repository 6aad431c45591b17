import { type Insertable, sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { User, UsersTable } from '../tables.ts';

export function findUser(db: Queryable, id: number): Promise<User | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findUserByUsername(db: Queryable, username: string): Promise<User | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .executeTakeFirst();
}

/** By number or by user name, as `sudo` and a few routes take it. */
export function findUserByReference(db: Queryable, reference: string): Promise<User | undefined> {
  return /^\d{1,15}$/.test(reference) ? findUser(db, Number(reference)) : findUserByUsername(db, reference);
}

export async function findUsersByIds(db: Queryable, ids: number[]): Promise<Map<number, User>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((user) => [user.id, user]));
}

export async function anyUser(db: Queryable): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

export function insertUser(tx: Tx, values: Insertable<UsersTable>): Promise<User> {
  return tx.insertInto('users').values(values).returningAll().executeTakeFirstOrThrow();
}
