import { randomUUID } from 'node:crypto';
import { isMailAddress } from '../../core/users/emails/address.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { afterCommit } from '../../platform/db/transactions.ts';
import type { Log } from '../../platform/log.ts';
import type { NoticeReason } from '../notice.ts';
import type { LinkedThing } from '../unsubscribe/links.ts';
import { insertContent, insertMails } from './outbox-store.ts';
import type { MailRow } from './tables.ts';
import { oneLine, paragraphs } from './text.ts';

/** What a mail says. Subject, name and headers may come from people: what could break out of its line is taken away. */
export interface MailContent {
  /** Names the event (`new_note`), or what else it is for; shown to administrators. */
  kind: string;
  subject: string;
  text: string;
  /** Must be safe; made from `text` when left out. */
  html?: string;
  /** The person it speaks for; the service itself when left out. */
  fromName?: string;
  /** Without angle brackets and stable, so that who gets it twice can tell; a random one when left out. */
  messageId?: string;
  headers?: Record<string, string>;
  projectId?: number | null;
  /** What its reader can unsubscribe from. */
  thing?: LinkedThing | null;
}

export interface MailReceiver {
  userId: number;
  address: string;
  /** Why he gets it: adds the foot of a notification. */
  reason?: NoticeReason;
}

/** Writes a mail in the caller's transaction; it goes out after the commit. Returns the mails' ids in the order of the receivers. */
export type EnqueueMail = (
  tx: Tx,
  content: MailContent,
  receivers: readonly MailReceiver[],
) => Promise<number[]>;

export interface MailOutboxOptions {
  clock: Clock;
  log: Log;
  /** The address that clients reach us by. */
  baseUrl: () => string;
  /** False keeps mails instead of sending them. */
  sends: boolean;
}

/** Where mails are written down before they are sent. */
export class MailOutbox {
  readonly #options: MailOutboxOptions;
  /** Called after a commit that has mails to send. */
  onQueued: () => void = () => {};

  constructor(options: MailOutboxOptions) {
    this.#options = options;
  }

  /** What no mail can be sent to is a mail that has failed: one strange address must not cost the others theirs. */
  readonly enqueue: EnqueueMail = async (tx, content, receivers) => {
    if (receivers.length === 0) return [];
    const now = this.#options.clock.now();
    const contentId = await insertContent(tx, this.#contentRow(content, now));
    const rows = receivers.map(({ userId, address, reason }) => ({
      content_id: contentId,
      user_id: userId,
      recipient: oneLine(address),
      kind: content.kind,
      reason: reason ?? null,
      created_at: now,
      ...this.#beginning(address, now),
    }));
    const ids = await insertMails(tx, rows);
    afterCommit(tx, () => this.#committed(content.kind, ids));
    return ids;
  };

  #beginning(address: string, now: number): Pick<MailRow, 'state' | 'settled_at' | 'answer'> {
    if (!isMailAddress(address)) {
      return { state: 'failed', settled_at: now, answer: 'not an address that mail can be sent to' };
    }
    if (!this.#options.sends) return { state: 'kept', settled_at: now, answer: null };
    return { state: 'queued', settled_at: null, answer: null };
  }

  #contentRow(content: MailContent, now: number) {
    const { text, html = paragraphs(text).text, thing } = content;
    const headers = Object.entries(content.headers ?? {}).map(([name, value]) => [name, oneLine(value, 900)]);
    const host = new URL(this.#options.baseUrl()).hostname;
    return {
      subject: oneLine(content.subject),
      // PostgreSQL takes no NUL, and nobody can read one.
      text_body: text.replaceAll('\0', ''),
      html_body: html.replaceAll('\0', ''),
      from_name: content.fromName === undefined ? null : oneLine(content.fromName),
      message_id: content.messageId ?? `${randomUUID()}@${host}`,
      headers: JSON.stringify(Object.fromEntries(headers)),
      project_id: content.projectId ?? null,
      thing_type: thing?.type ?? null,
      thing_id: thing?.id ?? null,
      created_at: now,
    };
  }

  /** Neither address nor subject: a log is read by more people than a mail. */
  #committed(kind: string, ids: readonly number[]): void {
    const { sends, log } = this.#options;
    if (sends) this.onQueued();
    else for (const id of ids) log.info({ mail: id, kind }, 'mail kept: SMTP_URL is not set');
  }
}
