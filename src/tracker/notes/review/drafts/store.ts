import type { Insertable, Updateable } from 'kysely';
import type { Queryable, Tx } from '../../../../platform/db/tables.ts';
import type { Slice } from '../../store.ts';
import type { DraftNoteRow, DraftNotesTable } from './tables.ts';

/** Whose drafts on which merge request. Those of others are never looked at. */
export interface Desk {
  mergeRequestId: number;
  authorId: number;
}

/** In the order in which they were written. */
export function listDrafts(db: Queryable, desk: Desk, { limit, offset }: Slice): Promise<DraftNoteRow[]> {
  return draftsOn(db, desk).selectAll().orderBy('id').limit(limit).offset(offset).execute();
}

export async function countDrafts(db: Queryable, desk: Desk): Promise<number> {
  const { count } = await draftsOn(db, desk)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export function findDraft(db: Queryable, desk: Desk, id: number): Promise<DraftNoteRow | undefined> {
  return draftsOn(db, desk).selectAll().where('id', '=', id).executeTakeFirst();
}

export function insertDraft(tx: Tx, row: Insertable<DraftNotesTable>): Promise<DraftNoteRow> {
  return tx.insertInto('draft_notes').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Undefined when it is gone. */
export function updateDraft(
  tx: Tx,
  id: number,
  changes: Updateable<DraftNotesTable>,
): Promise<DraftNoteRow | undefined> {
  return tx.updateTable('draft_notes').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Takes drafts off the desk, all of them or one, oldest first. Who takes the same at once gets nothing. */
export async function takeDrafts(tx: Tx, desk: Desk, id?: number): Promise<DraftNoteRow[]> {
  let query = tx
    .deleteFrom('draft_notes')
    .where('author_id', '=', desk.authorId)
    .where('merge_request_id', '=', desk.mergeRequestId);
  if (id !== undefined) query = query.where('id', '=', id);
  const rows = await query.returningAll().execute();
  return rows.sort((a, b) => a.id - b.id);
}

const draftsOn = (db: Queryable, { mergeRequestId, authorId }: Desk) =>
  db
    .selectFrom('draft_notes')
    .where('author_id', '=', authorId)
    .where('merge_request_id', '=', mergeRequestId);
