import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { NoteRow } from '../tables.ts';
import type { ThingRef } from './things.ts';

/** Notes are looked through for names, the newest first; of those that have some so many are read, each so far. */
const MAX_SEARCHED = 1000;
const MAX_NOTES = 300;
const MAX_CHARACTERS = 10_000;
const MAX_EARLIER = 100;

/** Everybody who wrote a note on the thing; whether he wrote nothing but internal ones. */
export async function writersOf(
  db: Queryable,
  ref: ThingRef,
): Promise<{ userId: number; internal: boolean }[]> {
  const { rows } = await sql<{ user_id: number; internal: number }>`
    select author_id as user_id, min(internal) as internal from notes
    where ${onThing(ref)} and author_id is not null group by author_id order by author_id`.execute(db);
  return rows.map(({ user_id: userId, internal }) => ({ userId, internal: internal === 1 }));
}

export async function namingTexts(db: Queryable, ref: ThingRef) {
  const { rows } = await sql<{ text: string; author_id: number | null; internal: number }>`
    select substr(body, 1, ${MAX_CHARACTERS}) as text, author_id, internal from (
      select body, author_id, internal, created_at, id from notes
      where ${onThing(ref)} order by created_at desc, id desc limit ${MAX_SEARCHED}) as newest
    where body like '%@%' order by created_at desc, id desc limit ${MAX_NOTES}`.execute(db);
  return rows.map((row) => ({ text: row.text, authorId: row.author_id, internal: row.internal === 1 }));
}

const onThing = (ref: ThingRef): RawBuilder<unknown> =>
  ref.type === 'Commit'
    ? sql`noteable_type = 'Commit' and project_id = ${ref.projectId} and commit_id = ${ref.sha}`
    : sql`noteable_type = ${ref.type} and noteable_id = ${ref.id}`;

export function findNoteById(db: Queryable, id: number): Promise<NoteRow | undefined> {
  return db.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Of its thread, the oldest first: the newest hundred before it. */
export async function earlierNotes(db: Queryable, note: NoteRow): Promise<number[]> {
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where('discussion_id', '=', note.discussion_id)
    .where('noteable_type', '=', note.noteable_type)
    .where('id', '<', note.id)
    .orderBy('id', 'desc')
    .limit(MAX_EARLIER)
    .execute();
  return rows.map(({ id }) => id).reverse();
}

/** In the order of the alphabet. */
export async function labelNames(db: Queryable, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('labels')
    .select('name')
    .where('id', 'in', ids)
    .orderBy('name')
    .orderBy('id')
    .execute();
  return rows.map(({ name }) => name);
}

export async function labelIdsOn(
  db: Queryable,
  kind: 'issue' | 'merge_request',
  id: number,
): Promise<number[]> {
  const { rows } = await sql<{ label_id: number }>`
    select label_id from ${sql.table(`${kind}_labels`)} where ${sql.ref(`${kind}_id`)} = ${id}
    order by label_id`.execute(db);
  return rows.map((row) => row.label_id);
}

/** Whose address it is, the main one or a confirmed other one. */
export async function userByEmail(db: Queryable, email: string): Promise<number | null> {
  const given = email.toLowerCase();
  const { rows } = await sql<{ id: number }>`
    select id from users where lower(email) = ${given}
    union all
    select user_id as id from user_emails where lower(email) = ${given} and confirmed_at is not null`.execute(
    db,
  );
  return rows[0]?.id ?? null;
}
