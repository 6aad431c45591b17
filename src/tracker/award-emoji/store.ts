import type { Insertable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { Slice } from '../notes/store.ts';
import type { AwardableType, AwardEmojiTable, AwardRow } from './tables.ts';

/** What is reacted to. */
export interface Awardable {
  type: AwardableType;
  id: number;
}

/** In the order in which they came. */
export function listAwards(
  db: Queryable,
  { type, id }: Awardable,
  { limit, offset }: Slice,
): Promise<AwardRow[]> {
  return db
    .selectFrom('award_emoji')
    .selectAll()
    .where('awardable_type', '=', type)
    .where('awardable_id', '=', id)
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countAwards(db: Queryable, { type, id }: Awardable): Promise<number> {
  const { count } = await db
    .selectFrom('award_emoji')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('awardable_type', '=', type)
    .where('awardable_id', '=', id)
    .executeTakeFirstOrThrow();
  return count;
}

export function findAward(
  db: Queryable,
  awardable: Awardable,
  awardId: number,
): Promise<AwardRow | undefined> {
  return db
    .selectFrom('award_emoji')
    .selectAll()
    .where('id', '=', awardId)
    .where('awardable_type', '=', awardable.type)
    .where('awardable_id', '=', awardable.id)
    .executeTakeFirst();
}

/** Undefined when this user has given this one already. */
export function insertAward(tx: Tx, row: Insertable<AwardEmojiTable>): Promise<AwardRow | undefined> {
  return tx
    .insertInto('award_emoji')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['awardable_type', 'awardable_id', 'name', 'user_id']).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
}

export async function deleteAward(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('award_emoji').where('id', '=', id).execute();
}

export interface Reactions {
  upvotes: number;
  downvotes: number;
}

/** Thumbs up and down, by the id of the thing; a thing without any is not there. */
export async function reactionCounts(
  db: Queryable,
  type: AwardableType,
  ids: readonly number[],
): Promise<Map<number, Reactions>> {
  const counts = new Map<number, Reactions>();
  if (ids.length === 0) return counts;
  const rows = await db
    .selectFrom('award_emoji')
    .select((eb) => ['awardable_id as id', 'name', eb.fn.countAll<number>().as('count')])
    .where('awardable_type', '=', type)
    .where('awardable_id', 'in', ids)
    .where('name', 'in', ['thumbsup', 'thumbsdown'])
    .groupBy(['awardable_id', 'name'])
    .execute();
  for (const { id, name, count } of rows) {
    const known = counts.get(id) ?? { upvotes: 0, downvotes: 0 };
    counts.set(id, { ...known, [name === 'thumbsup' ? 'upvotes' : 'downvotes']: count });
  }
  return counts;
}
