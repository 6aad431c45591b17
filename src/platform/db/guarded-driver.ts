import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely';
import { TransactionAborted } from './errors.ts';

type Fold = (error: unknown) => unknown;
type Adapt = (query: CompiledQuery) => CompiledQuery;

/**
 * Puts the same face on both drivers: errors are folded into the classes of `errors.ts`, and a transaction in which a
 * statement failed refuses everything but its rollback. `adapt` may change a statement before it is sent.
 */
export class GuardedDriver implements Driver {
  readonly #inner: Driver;
  readonly #fold: Fold;
  readonly #adapt: Adapt;

  constructor(inner: Driver, fold: Fold, adapt: Adapt = (query) => query) {
    this.#inner = inner;
    this.#fold = fold;
    this.#adapt = adapt;
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const inner = await this.#folded(() => this.#inner.acquireConnection());
    return new GuardedConnection(inner, this.#fold, this.#adapt);
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const guarded = connection as GuardedConnection;
    await this.#folded(() => this.#inner.beginTransaction(guarded.inner, settings));
    guarded.inTransaction = true;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const guarded = connection as GuardedConnection;
    if (guarded.failed) throw new TransactionAborted();
    await this.#folded(() => this.#inner.commitTransaction(guarded.inner));
    guarded.inTransaction = false;
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const guarded = connection as GuardedConnection;
    guarded.inTransaction = false;
    guarded.failed = false;
    await this.#folded(() => this.#inner.rollbackTransaction(guarded.inner));
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#inner.releaseConnection((connection as GuardedConnection).inner);
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }

  async #folded<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw this.#fold(error);
    }
  }
}

class GuardedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #fold: Fold;
  readonly #adapt: Adapt;
  inTransaction = false;
  failed = false;

  constructor(inner: DatabaseConnection, fold: Fold, adapt: Adapt) {
    this.inner = inner;
    this.#fold = fold;
    this.#adapt = adapt;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.failed) throw new TransactionAborted();
    try {
      return await this.inner.executeQuery<R>(this.#adapt(query));
    } catch (error) {
      if (this.inTransaction) this.failed = true;
      throw this.#fold(error);
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize ?? 100);
  }
}
