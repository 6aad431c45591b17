import { createHash, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../log.ts';
import type { Leadership, Locks } from './locks.ts';
import { NamedMutexes } from './named-mutexes.ts';

/** First half of the two-number advisory locks that stand for running processes. */
const IDENTITY_CLASS = 49_177;

/** Asking again is one short statement; the waiters of one name in one process ask once together. */
const ASK_AGAIN_MS = 50;
const RECONNECT_MS = 1000;

interface Session {
  client: pg.Client;
  lost: AbortController;
}

/**
 * Advisory locks of one session that this process keeps beside its pool. They are asked for with `pg_try_advisory_lock`,
 * because a call that waits would hold up the session for everybody else. Such a lock is re-entrant within a session:
 * who may ask at all is settled in memory first.
 */
export class PostgresLocks implements Locks {
  readonly identity: number;
  readonly #url: string;
  readonly #log: Log;
  readonly #mutexes = new NamedMutexes();
  readonly #leaders = new Set<string>();
  #session: Session;
  #closed = false;

  static async open(url: string, log: Log): Promise<PostgresLocks> {
    const identity = randomInt(1, 2 ** 31);
    const session = await openSession(url, identity);
    return new PostgresLocks(url, log, identity, session);
  }

  private constructor(url: string, log: Log, identity: number, session: Session) {
    this.#url = url;
    this.#log = log;
    this.identity = identity;
    this.#session = session;
    this.#watch(session);
  }

  withLock<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    return this.#mutexes.run(name, async () => {
      const session = await this.#waitFor(`lock:${name}`);
      try {
        return await work(session.lost.signal);
      } finally {
        await this.#unlock(session, `lock:${name}`);
      }
    });
  }

  async tryLeader(name: string): Promise<Leadership | null> {
    if (this.#leaders.has(name)) return null;
    this.#leaders.add(name);
    const session = this.#session;
    let won = false;
    try {
      won = await this.#tryLock(session, `leader:${name}`);
    } finally {
      if (!won) this.#leaders.delete(name);
    }
    if (!won) return null;
    session.lost.signal.addEventListener('abort', () => this.#leaders.delete(name), { once: true });
    return {
      lost: session.lost.signal,
      release: async () => {
        if (session.lost.signal.aborted) return;
        await this.#unlock(session, `leader:${name}`);
        this.#leaders.delete(name);
      },
    };
  }

  /** Reads the server's list of locks rather than trying the lock, which would make a dead owner look alive meanwhile. */
  async isAlive(owner: number): Promise<boolean> {
    if (owner === this.identity) return true;
    const { rows } = await this.#session.client.query(
      `select 1 from pg_locks where locktype = 'advisory' and objsubid = 2 and granted
         and database = (select oid from pg_database where datname = current_database())
         and classid = $1::bigint and objid = $2::bigint`,
      [IDENTITY_CLASS, owner],
    );
    return rows.length > 0;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#session.client.end();
  }

  async #waitFor(name: string): Promise<Session> {
    for (;;) {
      const session = this.#session;
      if (await this.#tryLock(session, name)) return session;
      if (this.#closed) throw new Error(`closed while waiting for ${name}`);
      await sleep(ASK_AGAIN_MS * (0.5 + Math.random()));
    }
  }

  /** A session that broke has no locks to give: the answer is no until the next one stands. */
  async #tryLock(session: Session, name: string): Promise<boolean> {
    try {
      const { rows } = await session.client.query<{ won: boolean }>(
        'select pg_try_advisory_lock($1) as won',
        [keyOf(name)],
      );
      return rows[0]?.won === true;
    } catch (error) {
      if (!session.lost.signal.aborted && !this.#closed) throw error;
      return false;
    }
  }

  async #unlock(session: Session, name: string): Promise<void> {
    if (session.lost.signal.aborted || this.#closed) return;
    await session.client.query('select pg_advisory_unlock($1)', [keyOf(name)]);
  }

  #watch(session: Session): void {
    const lose = (error?: Error) => {
      if (session.lost.signal.aborted || this.#closed) return;
      this.#log.warn({ err: error }, 'the PostgreSQL session that holds our locks was lost');
      session.lost.abort();
      void this.#reconnect();
    };
    session.client.on('error', lose);
    session.client.on('end', () => lose());
  }

  /** Until this succeeds the other processes take this one for dead; it knows by the `lost` signals of its locks. */
  async #reconnect(): Promise<void> {
    while (!this.#closed) {
      await sleep(RECONNECT_MS, undefined, { ref: false });
      try {
        const session = await openSession(this.#url, this.identity);
        if (this.#closed) return await session.client.end();
        this.#session = session;
        return this.#watch(session);
      } catch (error) {
        this.#log.warn({ err: error }, 'PostgreSQL cannot be reached for locks, trying again');
      }
    }
  }
}

async function openSession(url: string, identity: number): Promise<Session> {
  const client = new pg.Client({ connectionString: url, application_name: 'ingot locks', keepAlive: true });
  client.on('error', () => {}); // what waits for it here rejects; whoever has it later listens for himself
  await client.connect();
  await client.query('select pg_advisory_lock($1::int, $2::int)', [IDENTITY_CLASS, identity]);
  return { client, lost: new AbortController() };
}

/** Names become 64-bit keys; two names share one with a chance of 1 in 2^64. */
function keyOf(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}
