import type { Sender } from './address.ts';

/** One mail to one address, ready to go. No field holds a line break but the two bodies. */
export interface OutgoingMail {
  /** With angle brackets. */
  messageId: string;
  from: Sender;
  replyTo: Sender;
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
  /** Ms since the epoch. */
  date: number;
}

/** This mail will never be taken (5xx): to try again would be to annoy the server. */
export class MailRefused extends Error {
  override name = 'MailRefused';
}

/** This mail is not taken now (4xx), others may be. */
export class MailDeferred extends Error {
  override name = 'MailDeferred';
}

/** No mail can be handed over now: no connection, no TLS, wrong password. What became of this one is not known. */
export class TransportDown extends Error {
  override name = 'TransportDown';
}

/** What takes mails out of the house. */
export interface MailTransport {
  /** Resolves to the server's words once it has taken the mail. Throws one of the three errors above, nothing else. */
  send(mail: OutgoingMail): Promise<string>;
  /** Gives up what is under way: its `send` throws `TransportDown`. */
  close(): Promise<void>;
}
