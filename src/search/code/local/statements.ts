import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** Prepared statements by their text, over one connection. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  row<T>(text: string, ...values: SQLInputValue[]): T | undefined {
    return this.#prepare(text).get(...values) as T | undefined;
  }

  rows<T>(text: string, ...values: SQLInputValue[]): T[] {
    return this.#prepare(text).all(...values) as T[];
  }

  run(text: string, ...values: SQLInputValue[]): void {
    this.#prepare(text).run(...values);
  }

  /** Runs `work` in one transaction, which is undone when it throws or does not want to `keep` what it did. */
  transaction<T>(work: () => { value: T; keep: boolean }): T {
    this.#database.exec('begin immediate');
    try {
      const { value, keep } = work();
      this.#database.exec(keep ? 'commit' : 'rollback');
      return value;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  /** Runs `work` on one state of the database, whatever is written meanwhile; the first read chooses it. */
  async reading<T>(work: () => Promise<T>): Promise<T> {
    this.#database.exec('begin');
    try {
      return await work();
    } finally {
      this.#database.exec('commit');
    }
  }

  #prepare(text: string): StatementSync {
    let statement = this.#prepared.get(text);
    if (!statement) {
      statement = this.#database.prepare(text);
      this.#prepared.set(text, statement);
    }
    return statement;
  }
}
