import { join } from 'node:path';
import { DataFolderInUse, lockDataFolder } from './data-folder.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { DirectReads } from './direct-reads.ts';
import { FairMutex } from './fair-mutex.ts';
import { LocalLocks } from './local-locks.ts';
import { migrate, type ScriptConnection } from './migrate.ts';
import { MERGED_INLINE_AT, SqliteCheckpoints } from './sqlite-checkpoints.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { directRead, SqliteDialect } from './sqlite-dialect.ts';
import { SqliteVersion } from './sqlite-version.ts';
import { runTransaction } from './transactions.ts';

export { DataFolderInUse };

/** A write takes tens of microseconds: a thousand waiting, or ten seconds, mean that something holds on. */
const WRITER_QUEUE = { maxWaiting: 1000, maxWaitMs: 10_000 };

/** Opens `dir/ingot.db`; one process at a time owns the folder. */
export async function openSqlite(options: DatabaseOptions): Promise<Database> {
  const folder = lockDataFolder(options.dir);
  try {
    return await openOwned(options, () => folder.release());
  } catch (error) {
    folder.release();
    throw error;
  }
}

async function openOwned(options: DatabaseOptions, release: () => void): Promise<Database> {
  const path = join(options.dir, 'ingot.db');
  const { synchronous = 'normal', log } = options;
  const pragmas = connectionPragmas(synchronous);
  const writer = new SqliteConnection(path, pragmas);
  try {
    await migrateSqlite(writer, options);
  } catch (error) {
    writer.close();
    throw error;
  }
  const reader = new SqliteConnection(path, [...pragmas, 'query_only = on']);
  const version = new SqliteVersion(reader);
  const mutex = new FairMutex(WRITER_QUEUE);
  const checkpoints = new SqliteCheckpoints({ path, synchronous, reader, mutex, log });
  const onCommit = () => {
    version.changed();
    checkpoints.committed();
  };
  options.metrics.gauge(
    'ingot_db_waiting',
    'Statements and transactions waiting for the writer',
    [],
    (gauge) => gauge.set(mutex.queued),
  );
  const db = new DirectReads(
    { dialect: new SqliteDialect({ reader, writer, mutex, onCommit }) },
    directRead({ reader, writer }),
  );
  // Kysely connects at its first query, and only what is connected does it close.
  await db.getExecutor().provideConnection(async () => {});
  let closed: Promise<void> | undefined;
  // A transaction that is under way may end first; what hangs does not keep the process from ending.
  const close = async () => {
    await checkpoints.close(); // first, or it could wait for what is never released
    await mutex.acquire().catch(() => log.warn('closing the database under a transaction'));
    await db.destroy();
    release();
  };
  const runner = { db, hasIsolationLevels: false, log, onRetry: () => {} };
  return {
    dialect: 'sqlite',
    db,
    locks: new LocalLocks(),
    version: () => version.current(),
    transaction: (work, settings) => runTransaction(runner, work, settings),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function connectionPragmas(synchronous: 'normal' | 'full'): string[] {
  return [
    'journal_mode = wal',
    `synchronous = ${synchronous}`,
    'foreign_keys = on',
    // Only a backup tool or a curious sqlite3 shell can be in the way; the service itself queues before it asks.
    'busy_timeout = 5000',
    `wal_autocheckpoint = ${MERGED_INLINE_AT}`,
    // PostgreSQL's `like` minds the case; a query must find the same rows on both.
    'case_sensitive_like = on',
    'cache_size = -16000',
    'temp_store = memory',
  ];
}

async function migrateSqlite(writer: SqliteConnection, options: DatabaseOptions): Promise<void> {
  const connection: ScriptConnection = {
    dialect: 'sqlite',
    exec: async (script) => writer.database.exec(script),
    rows: async (text) => writer.database.prepare(text).all(),
  };
  await connection.exec('pragma foreign_keys = off');
  await migrate(connection, options.migrations);
  await connection.exec('pragma foreign_keys = on');
}
