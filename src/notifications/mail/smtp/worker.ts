import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createTransport } from 'nodemailer';
import { standBack } from '../../../platform/stand-back.ts';
import type { OutgoingMail } from '../transport.ts';
import { failureOf, type SmtpError } from './failures.ts';
import type { FromSmtp, SmtpSettings, ToSmtp } from './messages.ts';

/** Runs in a thread of its own: MIME and TLS of a thousand mails take a second that requests do not wait for. */

/** A server that answers a word at a time keeps every other bound; five minutes are what RFC 5321 gives its slowest answer but one. */
const SEND_MS = 300_000;

/** Where there is too little for both, mail waits rather than requests (p99 of a request while it goes out: 7 instead of 11 ms). */
const NICENESS = 5;
standBack(NICENESS);

const { url, connections } = workerData as SmtpSettings;
const port = parentPort as MessagePort;

const pool = createTransport({
  pool: true,
  maxConnections: connections,
  maxMessages: 1000,
  connectionTimeout: 30_000,
  greetingTimeout: 30_000,
  socketTimeout: 120_000,
  disableFileAccess: true,
  disableUrlAccess: true,
  url,
});

port.on('message', (message: ToSmtp) => {
  if (message.kind === 'send') void send(message.id, message.mail);
  else stop();
});

async function send(id: number, mail: OutgoingMail): Promise<void> {
  const { to, date, ...rest } = mail;
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), SEND_MS);
  const message = {
    ...rest,
    normalizeHeaderKey: spellingOf(mail.headers),
    to: { name: '', address: to },
    date: new Date(date),
    signal: patience.signal,
  };
  try {
    const { response } = await pool.sendMail(message);
    port.postMessage({ kind: 'sent', id, answer: String(response).slice(0, 500) } satisfies FromSmtp);
  } catch (error) {
    port.postMessage({ ...failureOf(error as SmtpError), id } satisfies FromSmtp);
  } finally {
    clearTimeout(timer);
  }
}

/** nodemailer writes `X-Gitlab-…` where GitLab, and the filters that people have for it, write `X-GitLab-…`. */
function spellingOf(headers: OutgoingMail['headers']): (name: string) => string {
  const spelled = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  return (name) => spelled.get(name.toLowerCase()) ?? name;
}

function stop(): void {
  pool.close();
  port.close();
}
