import { type Insertable, type SqlBool, sql, type Updateable } from 'kysely';
import { composed } from '../../platform/db/prepared.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { Level } from '../access/levels.ts';
import type { Namespace, User, UsersTable } from '../tables.ts';

export async function findUser(db: Queryable, id: number): Promise<User | undefined> {
  return (await userById(db, { id }))[0];
}

const userById = composed((db, at: { id: number }) =>
  db.selectFrom('users').selectAll().where('id', '=', at.id),
);

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

export function updateUserRow(tx: Tx, id: number, values: Updateable<UsersTable>): Promise<User> {
  return tx.updateTable('users').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Compared with the state it was in: of two who change it at once, one does. */
export async function setUserState(
  db: Queryable,
  id: number,
  { from, to, now }: { from: string; to: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ state: to, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteUserRow(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute();
}

/** Groups that would have nobody left to own them, neither themselves nor through a group above. */
export async function solelyOwnedGroups(db: Queryable, userId: number): Promise<Namespace[]> {
  return db
    .selectFrom('namespaces')
    .innerJoin('members as own', 'own.namespace_id', 'namespaces.id')
    .selectAll('namespaces')
    .where('namespaces.kind', '=', 'group')
    .where('own.user_id', '=', userId)
    .where('own.access_level', '=', Level.owner)
    .where('own.requested_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('members as other')
            .select('other.id')
            .where(sql<SqlBool>`namespaces.traversal like '%/' || other.namespace_id || '/%'`)
            .where('other.user_id', '!=', userId)
            .where('other.access_level', '=', Level.owner)
            .where('other.requested_at', 'is', null),
        ),
      ),
    )
    .orderBy('namespaces.id')
    .execute();
}

/** Rejects when the database does not answer, or holds no table of ours. */
export async function readAnyUser(db: Queryable): Promise<void> {
  await db.selectFrom('users').select('id').limit(1).execute();
}
