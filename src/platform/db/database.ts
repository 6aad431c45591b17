import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Locks } from './locks.ts';
import type { DialectName, Migration } from './migrate.ts';
import { openSqlite } from './sqlite-database.ts';
import type { Db, Tx } from './tables.ts';
import type { TransactionOptions } from './transactions.ts';

/** One open database with its schema up to date. */
export interface Database {
  readonly dialect: DialectName;
  /** For reads and single statements. Never use it for a write inside `transaction`: it would wait for itself. */
  readonly db: Db;
  /** Locks among the processes that share this database; used through `withLock` and `tryLeader`. */
  readonly locks: Locks;
  /** Another number after every change, for `WhileUnchanged`; null where other processes write too. */
  version(): number | null;
  /** Commits when `work` resolves, rolls back when it rejects. `work` may run more than once, see `runTransaction`. */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** `postgres://…`; without it, SQLite in `dir`. */
  url?: string | undefined;
  /** Existing folder; SQLite keeps `ingot.db` there. */
  dir: string;
  migrations: readonly Migration[];
  log: Log;
  metrics: Metrics;
  /** SQLite only: `full` syncs at every commit, `normal` (the default) may lose the last commits at a power loss. */
  synchronous?: 'normal' | 'full' | undefined;
  /** PostgreSQL only: connections held at most, 10 by default. */
  poolSize?: number | undefined;
}

/** Opens the database and migrates it. Throws `DataFolderInUse`, `SchemaMismatch`, or the driver's error when it cannot. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (!options.url) return openSqlite(options);
  // Loaded only when asked for: `pg` costs 20 ms and 6 MB at the start.
  const { openPostgres } = await import('./postgres-database.ts');
  return openPostgres(options, options.url);
}
