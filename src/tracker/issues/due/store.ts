import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { IssueRow } from '../tables.ts';

interface DueRemindersTable {
  singleton: number;
  due_date: string;
  last_issue_id: number;
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    due_reminders: DueRemindersTable;
  }
}

export interface Progress {
  /** `YYYY-MM-DD`. */
  dueDate: string;
  lastIssueId: number;
}

/** How far the reminders for this day have come. A day is begun when the first one asks for it; earlier days are over. */
export async function progressOf(tx: Tx, dueDate: string): Promise<Progress | null> {
  await tx
    .insertInto('due_reminders')
    .values({ singleton: 1, due_date: dueDate, last_issue_id: 0 })
    .onConflict((conflict) =>
      conflict
        .column('singleton')
        .doUpdateSet({ due_date: dueDate, last_issue_id: 0 })
        .where('due_reminders.due_date', '<', dueDate),
    )
    .execute();
  const row = await tx
    .selectFrom('due_reminders')
    .select(['due_date', 'last_issue_id'])
    .where('singleton', '=', 1)
    .executeTakeFirstOrThrow();
  return row.due_date === dueDate ? { dueDate, lastIssueId: row.last_issue_id } : null;
}

/** False when somebody else has gone on meanwhile. */
export async function advanceProgress(
  tx: Tx,
  { dueDate, lastIssueId }: Progress,
  to: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('due_reminders')
    .set({ last_issue_id: to })
    .where('singleton', '=', 1)
    .where('due_date', '=', dueDate)
    .where('last_issue_id', '=', lastIssueId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Open issues that are due on the day, in the order of their ids. */
export function openIssuesDue(
  db: Queryable,
  { dueDate, lastIssueId }: Progress,
  limit: number,
): Promise<Pick<IssueRow, 'id' | 'iid' | 'project_id'>[]> {
  return db
    .selectFrom('issues')
    .select(['id', 'iid', 'project_id'])
    .where('due_date', '=', dueDate)
    .where('state', '=', sql.lit('opened'))
    .where('id', '>', lastIssueId)
    .orderBy('id')
    .limit(limit)
    .execute();
}
