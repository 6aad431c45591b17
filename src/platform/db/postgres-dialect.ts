import { type CompiledQuery, type Driver, PostgresDialect as KyselyPostgresDialect } from 'kysely';
import pg from 'pg';
import type { Log } from '../log.ts';
import { Busy, foldPostgresError } from './errors.ts';
import { GuardedDriver } from './guarded-driver.ts';
import { PostgresDriver } from './postgres-driver.ts';

const TYPE_BOOL = 16;
const TYPE_INT8 = 20;
const TYPE_NUMERIC = 1700;

/** Rows come back as from SQLite: 64-bit integers and sums as numbers, comparisons as 0 and 1. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === TYPE_INT8) return safeInteger;
    if (oid === TYPE_NUMERIC) return Number;
    if (oid === TYPE_BOOL) return (value: string) => (value === 't' ? 1 : 0);
    return pg.types.getTypeParser(oid, format);
  }) as typeof pg.types.getTypeParser,
};

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a JavaScript number`);
  return value;
}

/**
 * A request is answered in milliseconds or has gone wrong: a statement that runs for half a minute, or a transaction
 * left open for one, only keeps others waiting.
 */
export function createPool(url: string, poolSize: number, log: Log): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types,
    application_name: 'ingot',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
  });
  // Without a listener an idle connection that the server closes would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle PostgreSQL connection was lost'));
  // So would one that is in use: the pool listens to idle ones only. Whoever uses it is told by his next statement.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug({ err: error }, 'a PostgreSQL connection was lost'));
  });
  return pool;
}

/** Kysely's own dialect with our errors, and parameters as SQLite takes them. */
export class PostgresDialect extends KyselyPostgresDialect {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new GuardedDriver(new PostgresDriver(this.#pool), foldPoolError, withPlainParameters);
  }
}

/** The pool's own refusal has no code. */
function foldPoolError(error: unknown): unknown {
  if (error instanceof Error && error.message === 'timeout exceeded when trying to connect') {
    return new Busy('lock', error.message, error);
  }
  return foldPostgresError(error);
}

/** Booleans are 0/1 integers in both databases; `pg` would send the word `true`. */
function withPlainParameters(query: CompiledQuery): CompiledQuery {
  if (!query.parameters.some((value) => typeof value === 'boolean')) return query;
  const parameters = query.parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  return { ...query, parameters };
}
