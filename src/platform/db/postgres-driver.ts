import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely';
import type pg from 'pg';
import type { ComposedQuery } from './prepared.ts';

/**
 * Statements over a pool. One that was composed once is also parsed and planned once on each connection: for a row of a table with
 * many indexes that is two thirds of the server's time (256 us without a name, 71 us with one).
 */
export class PostgresDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #names = new StatementNames();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new PostgresConnection(await this.#pool.connect(), this.#names);
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await (connection as PostgresConnection).begin(settings);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).end('commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).end('rollback');
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as PostgresConnection).release();
  }

  destroy(): Promise<void> {
    return this.#pool.end();
  }
}

/** What composed statements are called on the server. All get new names when the schema has changed under them. */
class StatementNames {
  #generation = 0;

  of(statement: string): string {
    return `${statement}.${this.#generation}`;
  }

  /** Of several that find the same name out of date one makes new ones. */
  renew(outdated: string): void {
    if (outdated.endsWith(`.${this.#generation}`)) this.#generation++;
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  #inTransaction = false;

  constructor(client: pg.PoolClient, names: StatementNames) {
    this.#client = client;
    this.#names = names;
  }

  async begin({ isolationLevel }: TransactionSettings): Promise<void> {
    await this.#client.query(
      isolationLevel ? `start transaction isolation level ${isolationLevel}` : 'begin',
    );
    this.#inTransaction = true;
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    await this.#client.query(how);
    this.#inTransaction = false;
  }

  release(): void {
    this.#client.release();
  }

  async executeQuery<R>(query: CompiledQuery | ComposedQuery): Promise<QueryResult<R>> {
    if (!('statement' in query) || query.statement === null) return this.#send<R>(query);
    const name = this.#names.of(query.statement);
    try {
      return await this.#send<R>(query, name);
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error;
      this.#names.renew(name);
      // A transaction is lost with its first error; it is run again as after a race.
      if (this.#inTransaction) throw error;
      return this.#send<R>(query, this.#names.of(query.statement));
    }
  }

  async #send<R>({ sql, parameters }: CompiledQuery, name?: string): Promise<QueryResult<R>> {
    const values = [...parameters];
    const { command, rowCount, rows } = await this.#client.query(
      name === undefined ? { text: sql, values } : { text: sql, values, name },
    );
    const changes = command !== 'SELECT' && rowCount !== null;
    return { rows: (rows ?? []) as R[], ...(changes && { numAffectedRows: BigInt(rowCount) }) };
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface asks for a generator, and this one only refuses
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('PostgreSQL answers are not streamed: read page by page');
  }
}

/** A newer process has changed a table of which a prepared statement gives all columns. */
export function isOutdatedPlan(error: unknown): boolean {
  return error instanceof Error && error.message === 'cached plan must not change result type';
}
