import type { SqliteConnection } from './sqlite-connection.ts';

/** How long a change by another program (an operator's sqlite3 shell) may stay unseen: asking SQLite costs 4 us. */
const FOREIGN_CHECK_MS = 100;

/**
 * A number that rises whenever the file changes. One process owns the data folder, so its own commits are counted as they
 * happen; what nobody announced is found by SQLite's own counter.
 */
export class SqliteVersion {
  readonly #reader: SqliteConnection;
  #version = 1;
  #foreign = -1;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(reader: SqliteConnection) {
    this.#reader = reader;
  }

  /** To be called after each commit, before anybody is told of it. */
  changed(): void {
    this.#version++;
  }

  current(): number {
    const now = performance.now();
    if (now - this.#checkedAt > FOREIGN_CHECK_MS) this.#lookOutside(now);
    return this.#version;
  }

  #lookOutside(now: number): void {
    this.#checkedAt = now;
    const { rows } = this.#reader.execute<{ data_version: number }>(DATA_VERSION);
    const seen = rows[0]?.data_version ?? -1;
    if (seen !== this.#foreign) this.#version++;
    this.#foreign = seen;
  }
}

const DATA_VERSION = { sql: 'pragma data_version', parameters: [] };
