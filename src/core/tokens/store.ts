import { type Insertable, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { containsText } from '../../platform/db/like.ts';
import type { Queryable, Tables, Tx } from '../../platform/db/tables.ts';
import type { AccessToken, AccessTokensTable } from '../tables.ts';

export interface TokenFilter {
  userId?: number | undefined;
  impersonation: boolean;
  state?: 'active' | 'inactive' | undefined;
  revoked?: boolean | undefined;
  search?: string | undefined;
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
  lastUsedAfter?: number | undefined;
  lastUsedBefore?: number | undefined;
  /** Days. */
  expiresAfter?: string | undefined;
  expiresBefore?: string | undefined;
  today: string;
}

export const TOKEN_SORTS = {
  created_asc: ['created_at', 'asc'],
  created_desc: ['created_at', 'desc'],
  expires_asc: ['expires_at', 'asc'],
  expires_desc: ['expires_at', 'desc'],
  last_used_asc: ['last_used_at', 'asc'],
  last_used_desc: ['last_used_at', 'desc'],
  name_asc: ['name', 'asc'],
  name_desc: ['name', 'desc'],
} as const;

export type TokenSort = keyof typeof TOKEN_SORTS;

type Selection<O> = SelectQueryBuilder<Tables, 'access_tokens', O>;

export async function listTokens(
  db: Queryable,
  filter: TokenFilter,
  { sort, limit, offset }: { sort: TokenSort | undefined; limit: number; offset: number },
): Promise<{ tokens: AccessToken[]; total: number }> {
  const matching = applyFilter(db.selectFrom('access_tokens'), filter);
  const [column, direction] = sort ? TOKEN_SORTS[sort] : (['id', 'asc'] as const);
  const tokens = await matching
    .selectAll()
    // Tokens without the date come last in both: the databases put them at different ends by themselves.
    .orderBy(column, (order) => order[direction]().nullsLast())
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await matching
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { tokens, total };
}

function applyFilter<O>(query: Selection<O>, filter: TokenFilter): Selection<O> {
  const { userId, state, revoked, search, today } = filter;
  return applyTimes(query, filter)
    .where('impersonation', '=', filter.impersonation ? 1 : 0)
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId ?? 0))
    .$if(revoked !== undefined, (q) => q.where('revoked', '=', revoked ? 1 : 0))
    .$if(search !== undefined, (q) => q.where(containsText(sql.ref('name'), search ?? '')))
    .$if(state === 'active', (q) =>
      q
        .where('revoked', '=', 0)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', today)])),
    )
    .$if(state === 'inactive', (q) =>
      q.where((eb) => eb.or([eb('revoked', '=', 1), eb('expires_at', '<=', today)])),
    );
}

function applyTimes<O>(query: Selection<O>, filter: TokenFilter): Selection<O> {
  const bounds = [
    ['created_at', '>=', filter.createdAfter],
    ['created_at', '<=', filter.createdBefore],
    ['last_used_at', '>=', filter.lastUsedAfter],
    ['last_used_at', '<=', filter.lastUsedBefore],
    ['expires_at', '>=', filter.expiresAfter],
    ['expires_at', '<=', filter.expiresBefore],
  ] as const;
  let bounded = query;
  for (const [column, operator, value] of bounds) {
    if (value !== undefined) bounded = bounded.where(column, operator, value);
  }
  return bounded;
}

export function findTokenById(db: Queryable, id: number): Promise<AccessToken | undefined> {
  return db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

export function insertToken(tx: Tx, values: Insertable<AccessTokensTable>): Promise<AccessToken> {
  return tx.insertInto('access_tokens').values(values).returningAll().executeTakeFirstOrThrow();
}

/** False when it was revoked before: of two who try at once, one revokes. */
export async function revokeToken(tx: Queryable, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('access_tokens')
    .set({ revoked: 1, updated_at: now })
    .where('id', '=', id)
    .where('revoked', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Writes only what is older than `before`, so that many calls at once cost one write. */
export async function markUsed(
  { db }: Pick<Database, 'db'>,
  use: { tokenId: number; userId: number; now: number; before: number; today: string },
): Promise<void> {
  await db
    .updateTable('access_tokens')
    .set({ last_used_at: use.now })
    .where('id', '=', use.tokenId)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', use.before)]))
    .execute();
  await db
    .updateTable('users')
    .set({ last_activity_on: use.today })
    .where('id', '=', use.userId)
    .where((eb) => eb.or([eb('last_activity_on', 'is', null), eb('last_activity_on', '<', use.today)]))
    .execute();
}
