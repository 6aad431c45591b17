import { parseArgs } from 'node:util';
import { readSender } from './notifications/mail/address.ts';

/** Everything an operator can set, read once at the start. `docs/configuration.md` has a row for each. */
export interface Config {
  dataDir: string;
  host: string;
  port: number;
  demo: boolean;
  /** PostgreSQL when set, SQLite in the data folder otherwise. */
  databaseUrl: string | undefined;
  /** The address put into `web_url` and `Link`; the one it listens on when unset. */
  url: string | undefined;
  rootToken: string | undefined;
  logLevel: string;
  /** Whether git objects and refs and stored files are flushed to the disk before they are acknowledged. */
  fsync: boolean;
  sqliteSynchronous: 'normal' | 'full';
  /** How long requests under way may take to end after SIGTERM. */
  drainMs: number;
  /** Whether code is indexed; without, git searches one project at a time. */
  codeIndex: boolean;
  /** Where mails are sent to; kept and not sent when unset. */
  smtpUrl: string | undefined;
  mailFrom: string | undefined;
  mailReplyTo: string | undefined;
}

export class ConfigError extends Error {
  override name = 'ConfigError';
}

type Environment = Record<string, string | undefined>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Reads `serve` and its options; throws ConfigError with a sentence for the operator. */
export function readConfig(argv: string[], env: Environment): Config {
  const { values } = parse(argv);
  return {
    dataDir: values.data ?? env['INGOT_DATA'] ?? './data',
    host: values.host ?? env['INGOT_HOST'] ?? '127.0.0.1',
    port: port(values.port ?? env['INGOT_PORT'] ?? '8080'),
    demo: !values['no-demo'],
    databaseUrl: databaseUrl(env['DATABASE_URL']),
    url: address(env['INGOT_URL']),
    rootToken: env['INGOT_ROOT_TOKEN'] || undefined,
    logLevel: oneOf('INGOT_LOG_LEVEL', env['INGOT_LOG_LEVEL'] ?? 'info', LOG_LEVELS),
    fsync: oneOf('INGOT_FSYNC', env['INGOT_FSYNC'] ?? 'true', ['true', 'false']) === 'true',
    sqliteSynchronous: oneOf('INGOT_SQLITE_SYNCHRONOUS', env['INGOT_SQLITE_SYNCHRONOUS'] ?? 'normal', [
      'normal',
      'full',
    ] as const),
    drainMs: seconds('INGOT_DRAIN_SECONDS', env['INGOT_DRAIN_SECONDS'] ?? '20') * 1000,
    codeIndex: oneOf('INGOT_CODE_INDEX', env['INGOT_CODE_INDEX'] ?? 'on', ['on', 'off']) === 'on',
    smtpUrl: smtpUrl(env['SMTP_URL']),
    mailFrom: mailAddress('MAIL_FROM', env['MAIL_FROM']),
    mailReplyTo: mailAddress('MAIL_REPLY_TO', env['MAIL_REPLY_TO']),
  };
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: {
        data: { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string' },
        'no-demo': { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

function port(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 65_535 && text !== '') return value;
  throw new ConfigError(`--port takes a number from 0 to 65535, not '${text}'`);
}

function seconds(name: string, text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new ConfigError(`${name} takes a number of seconds up to 9999, not '${text}'`);
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw new ConfigError(`${name} takes one of ${allowed.join(', ')}, not '${value}'`);
}

function address(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new ConfigError(`INGOT_URL takes an http or https address, not '${text}'`);
  }
  return text.replace(/\/+$/, '');
}

function databaseUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  // The value itself stays out of the message: it holds a password.
  if (!/^postgres(ql)?:\/\//.test(text)) throw new ConfigError('DATABASE_URL takes a postgres:// address');
  return text;
}

function smtpUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  // The value itself stays out of the message: it may hold a password.
  if (!URL.canParse(text) || !/^smtps?:\/\/[^/]/.test(text)) {
    throw new ConfigError('SMTP_URL takes an address such as smtp://host:25 or smtps://user:password@host');
  }
  return text;
}

function mailAddress(name: string, text: string | undefined): string | undefined {
  if (!text || readSender(text)) return text || undefined;
  throw new ConfigError(`${name} takes an address such as 'Ingot <ingot@example.com>', not '${text}'`);
}
