import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import { newDiscussionId } from '../../notes/notes.ts';
import type { IssueRow } from '../tables.ts';

/** Rows of one statement. */
const BATCH = 500;

/** Everything that was written on the one issue, on the other as well; threads stay threads. */
export async function copyNotes(tx: Tx, from: IssueRow, to: IssueRow): Promise<void> {
  const threads = new Map<string, string>();
  const threadOf = (id: string) => {
    const known = threads.get(id) ?? newDiscussionId();
    threads.set(id, known);
    return known;
  };
  let after = 0;
  for (;;) {
    const notes = await notesAfter(tx, from, after);
    const last = notes.at(-1);
    if (!last) return;
    const copies = notes.map(({ id: _, discussion_id, ...note }) => ({
      ...note,
      project_id: to.project_id,
      noteable_id: to.id,
      noteable_iid: to.iid,
      discussion_id: threadOf(discussion_id),
    }));
    await tx.insertInto('notes').values(copies).execute();
    after = last.id;
  }
}

const notesAfter = (db: Queryable, { id }: IssueRow, after: number) =>
  db
    .selectFrom('notes')
    .selectAll()
    .where('noteable_type', '=', 'Issue')
    .where('noteable_id', '=', id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .execute();

/** What people felt about it and how long they worked on it. */
export async function copyReactionsAndTime(tx: Tx, from: IssueRow, to: IssueRow): Promise<void> {
  const [projectId, id] = [sql`cast(${to.project_id} as bigint)`, sql`cast(${to.id} as bigint)`];
  await sql`insert into award_emoji (project_id, awardable_type, awardable_id, user_id, name, created_at, updated_at)
    select ${projectId}, awardable_type, ${id}, user_id, name, created_at, updated_at from award_emoji
    where awardable_type = 'Issue' and awardable_id = ${from.id} order by id`.execute(tx);
  await sql`insert into timelogs (project_id, target_type, target_id, user_id, time_spent, summary, spent_at, created_at)
    select ${projectId}, target_type, ${id}, user_id, time_spent, summary, spent_at, created_at from timelogs
    where target_type = 'Issue' and target_id = ${from.id} order by id`.execute(tx);
}
