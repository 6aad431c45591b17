import type { Queryable, Tx } from '../../platform/db/tables.ts';

export async function insertReservation(
  db: Queryable,
  row: { storage_path: string; owner: number; created_at: number },
): Promise<void> {
  await db.insertInto('repository_reservations').values(row).execute();
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

export function listReservations(db: Queryable): Promise<{ storage_path: string; owner: number }[]> {
  return db.selectFrom('repository_reservations').select(['storage_path', 'owner']).execute();
}
