import type { OutgoingMail } from '../transport.ts';

/** What the service and the thread that speaks SMTP say to each other. */

export interface SmtpSettings {
  url: string;
  connections: number;
}

export type ToSmtp = { kind: 'send'; id: number; mail: OutgoingMail } | { kind: 'stop' };

export type FailureKind = 'refused' | 'deferred' | 'down';

export type FromSmtp =
  | { kind: 'sent'; id: number; answer: string }
  | { kind: FailureKind; id: number; reason: string };
