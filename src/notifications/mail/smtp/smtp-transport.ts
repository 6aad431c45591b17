import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../platform/thread.ts';
import {
  MailDeferred,
  MailRefused,
  type MailTransport,
  type OutgoingMail,
  TransportDown,
} from '../transport.ts';
import type { FailureKind, FromSmtp, SmtpSettings, ToSmtp } from './messages.ts';

export interface SmtpTransportOptions {
  url: string;
  /** Connections kept at once; what servers commonly allow one client. */
  connections?: number;
  /** Without a mail for so long the thread and its connections end; the next mail brings them back. */
  idleMs?: number;
}

export const SMTP_CONNECTIONS = 5;

interface Pending {
  resolve(answer: string): void;
  reject(error: Error): void;
}

const ERRORS: Record<FailureKind, new (reason: string) => Error> = {
  refused: MailRefused,
  deferred: MailDeferred,
  down: TransportDown,
};

/** SMTP by nodemailer, in a thread of its own: pooled connections, TLS, authentication. */
export class SmtpTransport implements MailTransport {
  readonly #settings: SmtpSettings;
  readonly #idleMs: number;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor({ url, connections = SMTP_CONNECTIONS, idleMs = 60_000 }: SmtpTransportOptions) {
    this.#settings = { url, connections };
    this.#idleMs = idleMs;
  }

  send(mail: OutgoingMail): Promise<string> {
    if (this.#closed) return Promise.reject(new TransportDown('closed'));
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#pending.set(id, { resolve, reject });
    worker.postMessage({ kind: 'send', id, mail } satisfies ToSmtp);
    return promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    this.#failAll('closed');
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = startThread(new URL('./worker.ts', import.meta.url), this.#settings, 16);
    let reason = 'the thread of SMTP ended';
    worker.on('message', (message: FromSmtp) => this.#receive(message));
    worker.on('error', (error) => {
      reason = `the thread of SMTP failed: ${String(error)}`;
    });
    worker.once('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#failAll(reason);
    });
    return worker;
  }

  #receive(message: FromSmtp): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#rest();
    if (message.kind === 'sent') pending.resolve(message.answer);
    else pending.reject(new ERRORS[message.kind](message.reason));
  }

  /** With nothing under way it keeps neither the process alive nor, for long, its memory. */
  #rest(): void {
    const worker = this.#worker;
    worker?.unref();
    this.#idle = setTimeout(() => {
      this.#worker = null;
      worker?.postMessage({ kind: 'stop' } satisfies ToSmtp);
    }, this.#idleMs).unref();
  }

  #failAll(reason: string): void {
    for (const { reject } of this.#pending.values()) reject(new TransportDown(reason));
    this.#pending.clear();
  }
}
