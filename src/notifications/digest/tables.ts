import type { Generated, Selectable } from 'kysely';
import type { Delivery } from '../notice.ts';
import type { LinkedThing } from '../unsubscribe/links.ts';

/** One act told to one person; `migrations/0017-mail.sql` has the indexes. */
export interface NoticesTable {
  id: Generated<number>;
  event_id: number;
  kind: string;
  user_id: number;
  mail_id: number | null;
  delivery: Delivery;
  gathered_by: string | null;
  due_at: number | null;
  thing_type: LinkedThing['type'] | null;
  thing_id: number | null;
  notice: string | null;
  created_at: number;
}

export type NoticeRow = Selectable<NoticesTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    notices: NoticesTable;
  }
}
