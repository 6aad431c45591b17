import type { Generated, Selectable } from 'kysely';
import type { LinkedThing } from '../unsubscribe/links.ts';

/** Rows as both databases hold them; `migrations/0017-mail.sql` has the indexes. */

/**
 * `kept` is the end of a mail that was written while no mail server was set. `queued` and `sending` go on until the server has
 * taken it (`sent`) or refused it for good (`failed`).
 */
export type MailState = 'kept' | 'queued' | 'sending' | 'sent' | 'failed';
export const MAIL_STATES = [
  'kept',
  'queued',
  'sending',
  'sent',
  'failed',
] as const satisfies readonly MailState[];

export interface MailContentsTable {
  id: Generated<number>;
  subject: string;
  text_body: string;
  html_body: string;
  from_name: string | null;
  message_id: string;
  headers: string;
  project_id: number | null;
  thing_type: LinkedThing['type'] | null;
  thing_id: number | null;
  created_at: number;
}

export interface MailsTable {
  id: Generated<number>;
  content_id: number;
  user_id: number;
  recipient: string;
  kind: string;
  reason: string | null;
  state: MailState;
  attempts: Generated<number>;
  next_attempt_at: Generated<number>;
  owner: number | null;
  answer: string | null;
  created_at: number;
  settled_at: number | null;
}

export interface MailSecretsTable {
  singleton: number;
  secret: string;
}

export type MailContentRow = Selectable<MailContentsTable>;
export type MailRow = Selectable<MailsTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    mail_contents: MailContentsTable;
    mails: MailsTable;
    mail_secrets: MailSecretsTable;
  }
}
