import { Kysely } from 'kysely';
import pg from 'pg';
import type { Database, DatabaseOptions } from './database.ts';
import { migrate } from './migrate.ts';
import { createPool, PostgresDialect } from './postgres-dialect.ts';
import { PostgresLocks } from './postgres-locks.ts';
import type { Tables } from './tables.ts';
import { runTransaction } from './transactions.ts';

const DEFAULT_POOL_SIZE = 10;

/** Any number that nothing else in the database uses for `pg_advisory_lock`. */
const MIGRATION_LOCK = 4_917_700_001;

/** Opens a database on a PostgreSQL server (14 or newer, encoding UTF8). */
export async function openPostgres(options: DatabaseOptions, url: string): Promise<Database> {
  await migratePostgres(url, options);
  const locks = await PostgresLocks.open(url, options.log);
  const pool = createPool(url, options.poolSize ?? DEFAULT_POOL_SIZE, options.log);
  const { metrics } = options;
  metrics.gauge('ingot_db_waiting', 'Requests for a database connection that wait for one', [], (gauge) =>
    gauge.set(pool.waitingCount),
  );
  const retries = metrics.counter('ingot_db_transaction_retries_total', 'Transactions run again');
  const db = new Kysely<Tables>({ dialect: new PostgresDialect(pool) });
  const runner = { db, hasIsolationLevels: true, log: options.log, onRetry: () => retries.inc() };
  let closed: Promise<void> | undefined;
  return {
    dialect: 'postgres',
    db,
    locks,
    version: () => null,
    transaction: (work, settings) => runTransaction(runner, work, settings),
    close() {
      closed ??= locks.close().then(() => pool.end());
      return closed;
    },
  };
}

/** One process migrates, the others wait for it; the lock goes with the connection. */
async function migratePostgres(url: string, options: DatabaseOptions): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'ingot migrations' });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate(
      {
        dialect: 'postgres',
        exec: async (script) => {
          await client.query(script);
        },
        rows: async (text) => (await client.query<Record<string, unknown>>(text)).rows,
      },
      options.migrations,
    );
  } finally {
    await client.end();
  }
}
