import type { Insertable, SelectQueryBuilder, Updateable } from 'kysely';
import type { Queryable, Tables, Tx } from '../../platform/db/tables.ts';
import type { NoteRow, NotesTable } from '../tables.ts';
import type { Noteable } from './noteable.ts';

export interface Slice {
  limit: number;
  offset: number;
}

/** Which notes of a thing are asked for. */
export interface NoteFilter {
  /** Those that only the team may read, too. */
  internal: boolean;
  /** What people wrote, or what the service wrote about what they did; both when left out. */
  only?: 'comments' | 'activity' | undefined;
}

export interface NoteOrder {
  by: 'created_at' | 'updated_at';
  direction: 'asc' | 'desc';
}

const EVERYTHING: NoteFilter = { internal: true };
const OLDEST_FIRST: NoteOrder = { by: 'created_at', direction: 'asc' };

export function insertNote(tx: Tx, row: Insertable<NotesTable>): Promise<NoteRow> {
  return tx.insertInto('notes').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Undefined when it is gone. */
export function updateNoteRow(
  tx: Tx,
  id: number,
  changes: Updateable<NotesTable>,
): Promise<NoteRow | undefined> {
  return tx.updateTable('notes').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

/** With what people reacted to it. False when it is gone already. */
export async function deleteNoteRow(tx: Tx, id: number): Promise<boolean> {
  await tx
    .deleteFrom('award_emoji')
    .where('awardable_type', '=', 'Note')
    .where('awardable_id', '=', id)
    .execute();
  const { numDeletedRows } = await tx.deleteFrom('notes').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export function findNote(
  db: Queryable,
  noteable: Noteable,
  id: number,
  filter = EVERYTHING,
): Promise<NoteRow | undefined> {
  return notesOn(db, noteable, filter).selectAll().where('id', '=', id).executeTakeFirst();
}

export function listNotes(
  db: Queryable,
  noteable: Noteable,
  { limit, offset }: Slice,
  { filter = EVERYTHING, order = OLDEST_FIRST }: { filter?: NoteFilter; order?: NoteOrder } = {},
): Promise<NoteRow[]> {
  return notesOn(db, noteable, filter)
    .selectAll()
    .orderBy(order.by, order.direction)
    .orderBy('id', order.direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countNotes(db: Queryable, noteable: Noteable, filter = EVERYTHING): Promise<number> {
  const { count } = await notesOn(db, noteable, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Ids of threads in the order in which they began. */
export async function listThreadIds(
  db: Queryable,
  noteable: Noteable,
  { limit, offset }: Slice,
  filter = EVERYTHING,
): Promise<string[]> {
  const rows = await notesOn(db, noteable, filter)
    .select('discussion_id')
    .groupBy('discussion_id')
    .orderBy((eb) => eb.fn.min('created_at'))
    .orderBy((eb) => eb.fn.min('id'))
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map((row) => row.discussion_id);
}

export async function countThreads(db: Queryable, noteable: Noteable, filter = EVERYTHING): Promise<number> {
  const { count } = await notesOn(db, noteable, filter)
    .select((eb) => eb.fn.count<number>('discussion_id').distinct().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Every note of these threads, oldest first. */
export async function notesOfThreads(
  db: Queryable,
  noteable: Noteable,
  discussionIds: readonly string[],
  filter = EVERYTHING,
): Promise<NoteRow[]> {
  if (discussionIds.length === 0) return [];
  return notesOn(db, noteable, filter)
    .selectAll()
    .where('discussion_id', 'in', discussionIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** A note of its own becomes the first of a thread when somebody answers it. */
export async function openThread(tx: Tx, discussionId: string): Promise<void> {
  await tx
    .updateTable('notes')
    .set({ type: 'DiscussionNote' })
    .where('discussion_id', '=', discussionId)
    .where('type', 'is', null)
    .execute();
}

/** Notes that people wrote, by the thing they are on. */
export async function countUserNotes(
  db: Queryable,
  type: 'MergeRequest' | 'Issue',
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('notes')
    .select((eb) => ['noteable_id as id', eb.fn.countAll<number>().as('count')])
    .where('noteable_type', '=', type)
    .where('noteable_id', 'in', ids)
    .where('system', '=', 0)
    .groupBy('noteable_id')
    .execute();
  return new Map(rows.map(({ id, count }) => [id ?? 0, count]));
}

/** Whether this user has said something about it. */
export async function hasNoteBy(
  db: Queryable,
  type: 'MergeRequest' | 'Issue',
  id: number,
  userId: number,
): Promise<boolean> {
  const found = await db
    .selectFrom('notes')
    .select('id')
    .where('noteable_type', '=', type)
    .where('noteable_id', '=', id)
    .where('author_id', '=', userId)
    .where('system', '=', 0)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Threads that wait for somebody to resolve them, by the merge request they are on. */
export async function unresolvedThreads(db: Queryable, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('notes')
    .select('noteable_id as id')
    .distinct()
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', 'in', ids)
    .where('type', 'is not', null)
    .where('system', '=', 0)
    .where('resolved_at', 'is', null)
    .execute();
  return new Set(rows.map(({ id }) => id ?? 0));
}

type NoteQuery = SelectQueryBuilder<Tables, 'notes', object>;

function notesOn(db: Queryable, noteable: Noteable, { internal, only }: NoteFilter): NoteQuery {
  let query = db.selectFrom('notes').where('noteable_type', '=', noteable.type) as unknown as NoteQuery;
  query =
    noteable.type === 'Commit'
      ? query.where('project_id', '=', noteable.projectId).where('commit_id', '=', noteable.commitId)
      : query.where('noteable_id', '=', noteable.id);
  if (!internal) query = query.where('internal', '=', 0);
  return only ? query.where('system', '=', only === 'activity' ? 1 : 0) : query;
}
