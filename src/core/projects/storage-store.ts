import { nodeIdentity } from '../../platform/db/locks.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { CoreDeps } from '../core.ts';

export async function insertReservation(
  db: Queryable,
  row: { storage_path: string; owner: number; created_at: number },
): Promise<void> {
  await db.insertInto('repository_reservations').values(row).execute();
}

/** The same where others may be making the same repository at this moment. */
export async function reserveAnyway({ database, clock }: CoreDeps, storagePath: string): Promise<void> {
  const row = { storage_path: storagePath, owner: nodeIdentity(database), created_at: clock.now() };
  await database.db
    .insertInto('repository_reservations')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** False when it is gone already. */
export async function deleteReservation(db: Queryable | Tx, storagePath: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('repository_reservations')
    .where('storage_path', '=', storagePath)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function isReserved(db: Queryable, storagePath: string): Promise<boolean> {
  const row = await db
    .selectFrom('repository_reservations')
    .select('storage_path')
    .where('storage_path', '=', storagePath)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a project has its code there. */
export async function isClaimed(db: Queryable, storagePath: string): Promise<boolean> {
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('storage_path', '=', storagePath)
    .executeTakeFirst();
  return row !== undefined;
}

export function listReservations(db: Queryable): Promise<{ storage_path: string; owner: number }[]> {
  return db.selectFrom('repository_reservations').select(['storage_path', 'owner']).execute();
}
