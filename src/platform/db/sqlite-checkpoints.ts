import { IdleThread } from '../idle-thread.ts';
import type { Log } from '../log.ts';
import type { Checkpoint, CheckpointData, LogState } from './checkpoint-thread.ts';
import type { FairMutex } from './fair-mutex.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** So many pages of the log are merged at once, as SQLite does by itself: 4 MB. */
export const MERGED_AT_ONCE = 1000;
/** A log that is written to all the time is never merged as a whole: from here on it begins anew while writers wait. */
const RESTARTED_AT = 8 * MERGED_AT_ONCE;
/** From here on SQLite does it by itself, at a commit: no thread has done it. */
export const MERGED_INLINE_AT = 20 * MERGED_AT_ONCE;
/** To look takes some 3 us. */
const LOOK_EVERY_MS = 50;
const YOUNG_MB = 1;
const IDLE_MS = 5000;

export interface CheckpointOptions extends CheckpointData {
  /** To look with. */
  reader: SqliteConnection;
  /** Held by whoever writes. */
  mutex: FairMutex;
  log: Log;
}

/**
 * Merges the write-ahead log into the database in a thread. SQLite does it at some commit, which then waits for the disk: 10 ms
 * mostly, 260 ms where much is being deleted beside it, and all calls of the process with it.
 */
export class SqliteCheckpoints {
  readonly #options: CheckpointOptions;
  readonly #thread: IdleThread<Checkpoint, LogState>;
  #lookedAt = 0;
  #underWay = false;
  #closed = false;

  constructor(options: CheckpointOptions) {
    const { path, synchronous } = options;
    this.#options = options;
    this.#thread = new IdleThread({
      file: new URL('./checkpoint-thread.ts', import.meta.url),
      data: { path, synchronous } satisfies CheckpointData,
      maxYoungMb: YOUNG_MB,
      idleMs: IDLE_MS,
    });
  }

  /** To be called after each commit; never throws. */
  committed(): void {
    const now = performance.now();
    if (this.#underWay || this.#closed || now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    if (this.#waiting() >= MERGED_AT_ONCE) void this.#merge();
  }

  /** What is left is merged by whoever closes the database. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread.close();
  }

  /** Pages that are not merged yet. */
  #waiting(): number {
    try {
      const { log, checkpointed } = this.#options.reader.execute<LogState>(LOOK).rows[0]!;
      return log - checkpointed;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the log of the database could not be measured');
      return 0;
    }
  }

  async #merge(): Promise<void> {
    this.#underWay = true;
    try {
      const { log } = await this.#thread.ask('passive');
      if (log >= RESTARTED_AT) await this.#restart();
    } catch (error) {
      if (!this.#closed) this.#options.log.warn({ err: error }, 'the log of the database was not merged');
    } finally {
      this.#underWay = false;
    }
  }

  async #restart(): Promise<void> {
    const { mutex } = this.#options;
    await mutex.acquire();
    try {
      if (!this.#closed) await this.#thread.ask('restart');
    } finally {
      mutex.release();
    }
  }
}

const LOOK = { sql: 'pragma wal_checkpoint(noop)', parameters: [] };
