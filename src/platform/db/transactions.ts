import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { Busy } from './errors.ts';
import type { Db, Tx } from './tables.ts';

type Callback = () => void;

/** Weak, so that a transaction takes its list with it; a list exists exactly while its transaction is open. */
const callbacks = new WeakMap<Tx, Callback[]>();

/**
 * Runs `callback` once `tx` has committed, never when it rolls back. For waking somebody up, not for work that must
 * happen: a crash after the commit loses it. What must happen is an event.
 */
export function afterCommit(tx: Tx, callback: Callback): void {
  const list = callbacks.get(tx);
  if (!list) throw new Error('afterCommit needs the transaction that Database.transaction handed out');
  list.push(callback);
}

/** With random waits between, eight attempts outlast any contention but a standing one. */
const MAX_ATTEMPTS = 8;
const FIRST_WAIT_MS = 4;

export interface TransactionOptions {
  /**
   * `serializable`, the default, makes PostgreSQL behave as SQLite does: as if transactions ran one after the other, so
   * that a store need not think of row locks. `read committed` is for what settles its races by a row that it updates.
   */
  isolation?: 'serializable' | 'read committed';
}

export interface TransactionRunner {
  db: Db;
  /** SQLite has but one way, one transaction after the other. */
  hasIsolationLevels: boolean;
  log: Log;
  onRetry: () => void;
}

/**
 * Runs `work` in a transaction and commits it. On PostgreSQL two transactions that touch the same rows may not both
 * succeed: the loser is rolled back and `work` runs again from its start, so it must not change anything outside `tx`.
 */
export async function runTransaction<T>(
  runner: TransactionRunner,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(runner, work, options);
    } catch (error) {
      if (!isRetryable(error) || attempt === MAX_ATTEMPTS) throw error;
      runner.onRetry();
      await sleep(Math.random() * FIRST_WAIT_MS * 2 ** attempt);
    }
  }
}

async function attemptTransaction<T>(
  runner: TransactionRunner,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const committed: Callback[] = [];
  const builder = runner.db.transaction();
  const isolated = runner.hasIsolationLevels
    ? builder.setIsolationLevel(options.isolation ?? 'serializable')
    : builder;
  const result = await isolated.execute(async (tx) => {
    callbacks.set(tx, committed);
    try {
      return await work(tx);
    } finally {
      callbacks.delete(tx);
    }
  });
  for (const callback of committed) callQuietly(callback, runner.log);
  return result;
}

/** The commit is done and must be answered as such, whatever a callback does. */
function callQuietly(callback: Callback, log: Log): void {
  try {
    callback();
  } catch (error) {
    log.error({ err: error }, 'a callback after a commit failed');
  }
}

/** A wait for the writer that was given up is not retried: it has taken its time already. */
function isRetryable(error: unknown): boolean {
  return error instanceof Busy && error.reason !== 'lock';
}
