import type { Insertable, Updateable } from 'kysely';
import { type PreparedQuery, prepared } from '../../platform/db/prepared.ts';
import type { Db, Queryable, Tx } from '../../platform/db/tables.ts';
import type { RunnerManagerRow, RunnerManagersTable } from './tables.ts';

/** The machine of that name. Made once: every runner asks every few seconds. */
export const managerFinder = (
  db: Db,
): PreparedQuery<{ runnerId: number; systemId: string }, RunnerManagerRow> =>
  prepared(db, (from, at: { runnerId: number; systemId: string }) =>
    from
      .selectFrom('runner_managers')
      .selectAll()
      .where('runner_id', '=', at.runnerId)
      .where('system_id', '=', at.systemId),
  );

/** Newest first. */
export function listManagers(db: Queryable, runnerId: number): Promise<RunnerManagerRow[]> {
  return db
    .selectFrom('runner_managers')
    .selectAll()
    .where('runner_id', '=', runnerId)
    .orderBy('id', 'desc')
    .execute();
}

export async function findManagers(
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, RunnerManagerRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('runner_managers')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The machine that was heard of last, of each runner. */
export async function latestManagers(
  db: Queryable,
  runnerIds: readonly number[],
): Promise<Map<number, RunnerManagerRow>> {
  if (runnerIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('runner_managers')
    .selectAll()
    .where('runner_id', 'in', [...runnerIds])
    .orderBy('contacted_at')
    .orderBy('id')
    .execute();
  return new Map(rows.map((row) => [row.runner_id, row]));
}

/** Two calls of one machine may arrive at once: the second finds the row of the first. */
export function upsertManager(tx: Tx, values: Insertable<RunnerManagersTable>): Promise<RunnerManagerRow> {
  const { runner_id: _runner, system_id: _system, created_at: _created, ...changes } = values;
  return tx
    .insertInto('runner_managers')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['runner_id', 'system_id']).doUpdateSet(changes as Updateable<RunnerManagersTable>),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteManager(tx: Tx, runnerId: number, systemId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('runner_managers')
    .where('runner_id', '=', runnerId)
    .where('system_id', '=', systemId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Machines that were not heard of since `before`. */
export async function deleteStaleManagers(tx: Tx, runnerId: number, before: number): Promise<void> {
  await tx
    .deleteFrom('runner_managers')
    .where('runner_id', '=', runnerId)
    .where('contacted_at', '<', before)
    .execute();
}
