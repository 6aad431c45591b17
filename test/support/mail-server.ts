import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

/** A mail as the server took it. */
export interface ReceivedMail {
  from: string;
  to: string;
  /** Names in lower case; of several the last one. */
  headers: Record<string, string>;
  subject: string;
  text: string;
  html: string;
  raw: string;
}

/** What the server does with a mail: `lose` takes it and breaks the connection before it says so, `hang` never says anything. */
export type Answer = 'take' | 'lose' | 'drop' | 'hang' | { code: number; text: string };

export interface MailServerOptions extends Pick<SMTPServerOptions, 'secure' | 'onAuth' | 'hideSTARTTLS'> {
  /** Asked when a whole mail is there. */
  answer?: (mail: ReceivedMail) => Answer;
  /** Asked for each address. */
  answerTo?: (address: string) => Answer;
  /** Asked for each sender. */
  answerFrom?: (address: string) => Answer;
  port?: number;
}

export interface MailServer extends AsyncDisposable {
  port: number;
  /** What it took, in the order in which it did. */
  mails: ReceivedMail[];
  /** Resolves when it has taken so many. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

class Refusal extends Error {
  readonly responseCode: number;
  constructor({ code, text }: { code: number; text: string }) {
    super(text);
    this.responseCode = code;
  }
}

/** A real SMTP server on a port of its own. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { answer, answerTo, answerFrom, port = 0, ...rest } = options;
  const mails: ReceivedMail[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const take = (mail: ReceivedMail) => {
    mails.push(mail);
    for (const { resolve } of waiting.filter(({ count }) => mails.length >= count)) resolve();
  };
  const sockets = new Map<string, () => void>();
  const drop = ({ id }: SMTPServerSession) => sockets.get(id)?.();
  const server = new SMTPServer({
    authOptional: rest.onAuth === undefined,
    disabledCommands: rest.onAuth === undefined ? ['AUTH'] : [],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    ...rest,
    onMailFrom({ address }, session, done) {
      reply(answerFrom?.(address), session, done);
    },
    onRcptTo({ address }, session, done) {
      reply(answerTo?.(address), session, done);
    },
    async onData(stream, session, done) {
      const bytes = await readAll(stream);
      if (bytes === null) return done();
      const mail = await readMail(bytes, session);
      const decision = answer?.(mail) ?? 'take';
      if (decision === 'take' || decision === 'lose') take(mail);
      reply(decision, session, done);
    },
  });

  function reply(
    decision: Answer | undefined,
    session: SMTPServerSession,
    done: (error?: Error | null) => void,
  ): void {
    if (decision === 'lose' || decision === 'drop') drop(session);
    else if (decision !== 'hang') done(typeof decision === 'object' ? new Refusal(decision) : null);
  }

  server.on('error', () => {
    // a connection that the test broke
  });
  trackSockets(server, sockets);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    until: (count) =>
      mails.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The server names sessions, not sockets; both meet in its list of connections. */
function trackSockets(server: SMTPServer, sockets: Map<string, () => void>): void {
  const { connections } = server as unknown as {
    connections: Set<{ id: string; _socket: { destroy(): void } }>;
  };
  const add = connections.add.bind(connections);
  connections.add = (connection) => {
    sockets.set(connection.id, () => connection._socket.destroy());
    return add(connection);
  };
}

/** Null when the sender went away in the middle. */
async function readAll(stream: Readable): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch {
    // as a killed process does: what came is no mail
    return null;
  }
  return Buffer.concat(chunks);
}

async function readMail(bytes: Buffer, { envelope }: SMTPServerSession): Promise<ReceivedMail> {
  const parsed = await PostalMime.parse(bytes);
  return {
    from: envelope.mailFrom ? envelope.mailFrom.address : '',
    to: envelope.rcptTo.map(({ address }) => address).join(','),
    headers: Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value])),
    subject: parsed.subject ?? '',
    // the parser ends every text with a line of its own
    text: (parsed.text ?? '').replace(/\n$/, ''),
    html: parsed.html ?? '',
    raw: bytes.toString('latin1'),
  };
}
