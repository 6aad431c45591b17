import { type Insertable, sql, type Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { deleteCommentary } from '../notes/noteable-store.ts';
import { deleteResourceEvents } from '../resource-events/store.ts';
import type { IssueRow, IssuesTable } from './tables.ts';

/** Undefined when the project has one of this number. */
export function insertIssue(tx: Tx, row: Insertable<IssuesTable>): Promise<IssueRow | undefined> {
  return tx
    .insertInto('issues')
    .values(row)
    .onConflict((conflict) => conflict.columns(['project_id', 'iid']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Undefined when it is gone meanwhile. */
export function updateIssueRow(
  tx: Tx,
  id: number,
  changes: Updateable<IssuesTable>,
): Promise<IssueRow | undefined> {
  return tx.updateTable('issues').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

/** With everything that was written on it. False when it is gone already. */
export async function deleteIssueRow(tx: Tx, id: number): Promise<boolean> {
  await deleteCommentary(tx, 'Issue', id);
  await deleteResourceEvents(tx, 'Issue', id);
  const { numDeletedRows } = await tx.deleteFrom('issues').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export function findIssue(db: Queryable, projectId: number, iid: number): Promise<IssueRow | undefined> {
  return db
    .selectFrom('issues')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
}

export function findIssueById(db: Queryable, id: number): Promise<IssueRow | undefined> {
  return db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Open issues by project; confidential ones count only where `all` says so. */
export async function countOpenIssues(
  db: Queryable,
  projects: readonly { id: number; all: boolean }[],
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const all of [true, false]) {
    const ids = projects.filter((project) => project.all === all).map(({ id }) => id);
    if (ids.length === 0) continue;
    let query = db
      .selectFrom('issues')
      .select((eb) => ['project_id', eb.fn.countAll<number>().as('count')])
      .where('project_id', 'in', ids)
      .where('state', '=', sql.lit('opened'));
    if (!all) query = query.where('confidential', '=', 0);
    const rows = await query.groupBy('project_id').execute();
    for (const { project_id, count } of rows) counts.set(project_id, count);
  }
  return counts;
}
