import { setImmediate as breathe } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import type { Tx } from '../../platform/db/tables.ts';
import type { MailContentsTable, MailsTable } from './tables.ts';

/** One statement each: both databases take so many values, and SQLite is done with them in 2 ms; requests go on in between. */
const ROWS_AT_ONCE = 100;

/** Returns its id. */
export async function insertContent(tx: Tx, row: Insertable<MailContentsTable>): Promise<number> {
  const { id } = await tx.insertInto('mail_contents').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Returns their ids in the order of the rows. */
export async function insertMails(tx: Tx, rows: readonly Insertable<MailsTable>[]): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    if (at > 0) await breathe();
    const batch = rows.slice(at, at + ROWS_AT_ONCE);
    const inserted = await tx.insertInto('mails').values(batch).returning('id').execute();
    ids.push(...inserted.map(({ id }) => id));
  }
  return ids;
}
