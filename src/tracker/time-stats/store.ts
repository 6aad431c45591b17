import type { Insertable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { TimedType, TimelogsTable } from './tables.ts';
import '../issues/tables.ts';

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const;

/** Seconds spent, by the id of the thing; things without any are not there. */
export async function timeSpent(
  db: Queryable,
  type: TimedType,
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('timelogs')
    .select((eb) => ['target_id as id', eb.fn.sum<number>('time_spent').as('spent')])
    .where('target_type', '=', type)
    .where('target_id', 'in', ids)
    .groupBy('target_id')
    .execute();
  return new Map(rows.map(({ id, spent }) => [id, Number(spent)]));
}

/** Seconds; null when the thing is gone. */
export async function readEstimate(db: Queryable, type: TimedType, id: number): Promise<number | null> {
  const row = await db
    .selectFrom(TABLES[type])
    .select('time_estimate')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.time_estimate ?? null;
}

/** False when the thing is gone. The update locks the row: who books time on the same thing waits until this is done. */
export async function updateTimed(
  tx: Tx,
  { type, id }: { type: TimedType; id: number },
  changes: { time_estimate?: number; updated_at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable(TABLES[type])
    .set(changes)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function insertTimelog(tx: Tx, row: Insertable<TimelogsTable>): Promise<void> {
  await tx.insertInto('timelogs').values(row).execute();
}
