import type { Database } from './database.ts';

/** Leadership that was won. `lost` fires when the connection that held it broke: another process may lead by now. */
export interface Leadership {
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Locks among all processes that share a database. SQLite has one process, so that memory is enough; PostgreSQL uses
 * advisory locks of one dedicated session, which end with the process whatever happens to it.
 */
export interface Locks {
  /** Random number of this process, held as long as it runs. Written beside work in hand (`jobs.owner`, …). */
  readonly identity: number;
  /** Runs `work` while no other process or caller holds `name`. Waits for as long as it takes. */
  withLock<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T>;
  /** Returns null when somebody else leads. */
  tryLeader(name: string): Promise<Leadership | null>;
  /** Whether the process of that identity still runs. */
  isAlive(owner: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Runs `work` while nobody else, in any process, holds the lock of that name. Not re-entrant. */
export function withLock<T>(
  database: Database,
  name: string,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  return database.locks.withLock(name, work);
}

/** Becomes the one leader of that name, or null when another process (or caller) is. */
export function tryLeader(database: Database, name: string): Promise<Leadership | null> {
  return database.locks.tryLeader(name);
}

/** The number under which this process is known to the others on the same database. */
export function nodeIdentity(database: Database): number {
  return database.locks.identity;
}

/** Whether the process that wrote `owner` beside its work still runs; if not, the work can be taken over. */
export function isAlive(database: Database, owner: number): Promise<boolean> {
  return database.locks.isAlive(owner);
}
