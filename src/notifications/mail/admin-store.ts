import type { Selectable } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { MailWithContent } from './compose.ts';
import type { MailContentsTable, MailState, MailsTable } from './tables.ts';

export interface MailFilter {
  state?: MailState | undefined;
  kind?: string | undefined;
  userId?: number | undefined;
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
}

export type ListedMail = Selectable<MailsTable> &
  Pick<Selectable<MailContentsTable>, 'subject' | 'project_id'>;

const SETTLED: readonly MailState[] = ['kept', 'sent', 'failed'];

/** The newest first. */
export function listMails(
  db: Queryable,
  { state, kind, userId, createdAfter, createdBefore }: MailFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<ListedMail[]> {
  return (
    db
      .selectFrom('mails')
      .innerJoin('mail_contents', 'mail_contents.id', 'mails.content_id')
      .selectAll('mails')
      .select(['mail_contents.subject', 'mail_contents.project_id'])
      .$if(state !== undefined, (query) => query.where('mails.state', '=', state!))
      // It is 0 by itself where nothing is tried any more; saying so lets the index give the order.
      .$if(state !== undefined && SETTLED.includes(state), (query) =>
        query.where('mails.next_attempt_at', '=', 0),
      )
      .$if(kind !== undefined, (query) => query.where('mails.kind', '=', kind!))
      .$if(userId !== undefined, (query) => query.where('mails.user_id', '=', userId!))
      .$if(createdAfter !== undefined, (query) => query.where('mails.created_at', '>=', createdAfter!))
      .$if(createdBefore !== undefined, (query) => query.where('mails.created_at', '<=', createdBefore!))
      .orderBy('mails.id', 'desc')
      .offset(offset)
      .limit(limit)
      .execute()
  );
}

export async function findMail(db: Queryable, id: number): Promise<MailWithContent | null> {
  const mail = await db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();
  if (mail === undefined) return null;
  const content = await db
    .selectFrom('mail_contents')
    .selectAll()
    .where('id', '=', mail.content_id)
    .executeTakeFirstOrThrow();
  return { ...mail, content };
}

/** Queues a mail that was kept or given up; false when it is neither. Its age counts from now. */
export async function queueAgain(db: Queryable, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({ state: 'queued', settled_at: null, next_attempt_at: 0, attempts: 0, created_at: now })
    .where('id', '=', id)
    .where('state', 'in', ['kept', 'failed'])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
