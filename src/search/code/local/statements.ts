import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** Prepared statements by their text, over one connection. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #onCommit: () => void;
  readonly #prepared = new Map<string, StatementSync>();

  /** `onCommit` is told of each transaction that is kept. */
  constructor(database: DatabaseSync, onCommit: () => void = () => {}) {
    this.#database = database;
    this.#onCommit = onCommit;
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
      if (keep) this.#onCommit();
      return value;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
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
