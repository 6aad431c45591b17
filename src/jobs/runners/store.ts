import type { Insertable, Updateable } from 'kysely';
import { type PreparedQuery, prepared } from '../../platform/db/prepared.ts';
import type { Db, Queryable, Tx } from '../../platform/db/tables.ts';
import type { RunnerRow, RunnersTable } from './tables.ts';

/** By the hash of its token. Made once: every runner asks every few seconds. */
export const runnerByTokenFinder = (db: Db): PreparedQuery<{ hash: string }, RunnerRow> =>
  prepared(db, (from, at: { hash: string }) =>
    from.selectFrom('runners').selectAll().where('token_hash', '=', at.hash),
  );

export function findRunner(db: Queryable, id: number): Promise<RunnerRow | undefined> {
  return db.selectFrom('runners').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findRunners(db: Queryable, ids: readonly number[]): Promise<Map<number, RunnerRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('runners')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

export function insertRunner(tx: Tx, values: Insertable<RunnersTable>): Promise<RunnerRow> {
  return tx.insertInto('runners').values(values).returningAll().executeTakeFirstOrThrow();
}

export function updateRunner(
  db: Queryable,
  id: number,
  changes: Updateable<RunnersTable>,
): Promise<RunnerRow | undefined> {
  return db.updateTable('runners').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function deleteRunner(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('runners').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Its projects, the one that it was made for first. */
export async function projectIdsOf(db: Queryable, runnerId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('runner_projects')
    .select('project_id')
    .where('runner_id', '=', runnerId)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.project_id);
}

/** Gives a runner to a project; UniqueViolation where it has it. */
export async function insertRunnerProject(tx: Tx, runnerId: number, projectId: number): Promise<void> {
  await tx.insertInto('runner_projects').values({ runner_id: runnerId, project_id: projectId }).execute();
}

export async function deleteRunnerProject(tx: Tx, runnerId: number, projectId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('runner_projects')
    .where('runner_id', '=', runnerId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
