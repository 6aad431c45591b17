import type { Insertable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { AccessToken, AccessTokensTable, User } from '../tables.ts';

export interface TokenWithUser {
  token: AccessToken;
  user: User;
}

/** By hash, whatever its state: the caller says why a dead one is refused. */
export async function findToken(db: Queryable, hash: string): Promise<TokenWithUser | undefined> {
  const token = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('token_hash', '=', hash)
    .executeTakeFirst();
  if (!token) return undefined;
  const user = await db.selectFrom('users').selectAll().where('id', '=', token.user_id).executeTakeFirst();
  return user && { token, user };
}

export async function findJobToken(db: Queryable, hash: string) {
  const row = await db.selectFrom('job_tokens').selectAll().where('token_hash', '=', hash).executeTakeFirst();
  if (!row) return undefined;
  const user = await db.selectFrom('users').selectAll().where('id', '=', row.user_id).executeTakeFirst();
  return user && { ...row, user };
}

export async function markUsed(
  db: Queryable,
  { tokenId, userId, now, today }: { tokenId: number; userId: number; now: number; today: string },
): Promise<void> {
  await db.updateTable('access_tokens').set({ last_used_at: now }).where('id', '=', tokenId).execute();
  await db
    .updateTable('users')
    .set({ last_activity_on: today })
    .where('id', '=', userId)
    .where((eb) => eb.or([eb('last_activity_on', 'is', null), eb('last_activity_on', '<', today)]))
    .execute();
}

export async function insertToken(tx: Tx, values: Insertable<AccessTokensTable>): Promise<AccessToken> {
  return tx.insertInto('access_tokens').values(values).returningAll().executeTakeFirstOrThrow();
}
