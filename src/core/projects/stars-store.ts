import { type SqlBool, sql } from 'kysely';
import { containsText } from '../../platform/db/like.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';

/** False when it was starred before. The count stands in the project's row, where lists sort by it. */
export async function addStar(
  tx: Tx,
  { projectId, userId, now }: { projectId: number; userId: number; now: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows: added } = await tx
    .insertInto('project_stars')
    .values({ project_id: projectId, user_id: userId, created_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'project_id']).doNothing())
    .executeTakeFirstOrThrow();
  if (!added) return false;
  await changeCount(tx, projectId, 1);
  return true;
}

/** False when it was not starred. */
export async function removeStar(
  tx: Tx,
  { projectId, userId }: { projectId: number; userId: number },
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('project_stars')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return false;
  await changeCount(tx, projectId, -1);
  return true;
}

async function changeCount(tx: Tx, projectId: number, by: 1 | -1): Promise<void> {
  await tx
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '+', by) }))
    .where('id', '=', projectId)
    .execute();
}

interface StarrerFilter {
  projectId: number;
  search?: string | undefined;
}

export function listStarrers(
  db: Queryable,
  filter: StarrerFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ user_id: number; created_at: number }[]> {
  return starrers(db, filter)
    .select(['project_stars.user_id', 'project_stars.created_at'])
    .orderBy('project_stars.user_id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countStarrers(db: Queryable, filter: StarrerFilter): Promise<number> {
  const row = await starrers(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

const starrers = (db: Queryable, { projectId, search }: StarrerFilter) =>
  db
    .selectFrom('project_stars')
    .innerJoin('users', 'users.id', 'project_stars.user_id')
    .where('project_stars.project_id', '=', projectId)
    .where(
      search
        ? sql<SqlBool>`(${containsText(sql.ref('users.name'), search)}
            or ${containsText(sql.ref('users.username'), search)})`
        : sql<SqlBool>`1 = 1`,
    );
