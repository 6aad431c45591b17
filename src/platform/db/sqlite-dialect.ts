import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';
import type { DirectRead } from './direct-reads.ts';
import { foldSqliteError } from './errors.ts';
import type { FairMutex } from './fair-mutex.ts';
import { GuardedDriver } from './guarded-driver.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** Two connections to one file, which both belong to this thread. */
export interface SqliteConnections {
  /** Serves plain SELECTs while a transaction is open, and never waits for it (WAL). */
  reader: SqliteConnection;
  /** Everything else, one holder of the mutex at a time. */
  writer: SqliteConnection;
}

export interface SqliteDialectConfig extends SqliteConnections {
  mutex: FairMutex;
  /** Called after each commit, before anybody is told of it. */
  onCommit: () => void;
}

/** Kysely over `node:sqlite`: no native module, no pool, one writer. */
export class SqliteDialect implements Dialect {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
    this.#config = config;
  }

  createDriver(): Driver {
    return new GuardedDriver(new SqliteDriver(this.#config), (error) =>
      foldError(this.#config.reader, error),
    );
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new QueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new SqliteAdapter();
  }

  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

/** Limits stand in the text: SQLite looks into one that is bound, and then plans the statement anew each time that it is run. */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${String(limit.value)}`);
    else super.visitLimit(node);
  }
}

class SqliteDriver implements Driver {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
    this.#config = config;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new RoutedConnection(this.#config);
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as RoutedConnection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as RoutedConnection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as RoutedConnection).rollback();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#config.reader.close();
    this.#config.writer.close();
  }
}

/** What a query of Kysely sees: sends each statement to the reader or, holding the mutex, to the writer. */
class RoutedConnection implements DatabaseConnection {
  readonly #config: SqliteDialectConfig;
  #inTransaction = false;

  constructor(config: SqliteDialectConfig) {
    this.#config = config;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { reader, writer, mutex, onCommit } = this.#config;
    if (this.#inTransaction) return writer.execute<R>(query);
    if (isPlainRead(query)) return readFrom({ reader, writer }).execute<R>(query);
    await mutex.acquire();
    try {
      return writer.execute<R>(query);
    } finally {
      onCommit();
      mutex.release();
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface asks for a generator, and this one only refuses
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('SQLite answers are not streamed: read page by page');
  }

  /** IMMEDIATE takes the write lock at once: a transaction that first reads can then never fail at its first write. */
  async begin(): Promise<void> {
    await this.#config.mutex.acquire();
    try {
      this.#config.writer.database.exec('begin immediate');
      this.#inTransaction = true;
    } catch (error) {
      this.#config.mutex.release();
      throw error;
    }
  }

  /** When this throws (a full disk), the transaction is still open: Kysely rolls it back. */
  commit(): void {
    this.#config.writer.database.exec('commit');
    this.#config.onCommit();
    this.#leave();
  }

  rollback(): void {
    try {
      // Some errors (a full disk, out of memory) make SQLite roll back by itself.
      if (this.#config.writer.database.isTransaction) this.#config.writer.database.exec('rollback');
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    this.#inTransaction = false;
    this.#config.mutex.release();
  }
}

/** Composed reads, straight from a connection. */
export const directRead =
  (connections: SqliteConnections): DirectRead =>
  <R>(query: Pick<CompiledQuery<R>, 'sql' | 'parameters'>) => {
    try {
      return readFrom(connections).execute<R>(query).rows;
    } catch (error) {
      throw foldError(connections.reader, error);
    }
  };

/**
 * Whoever writes has what it wrote in memory; another connection forgets all that it holds with each commit, and reads it again
 * (19 us for a row behind a commit, 9 us from the one that wrote). Between transactions both see the same.
 */
const readFrom = ({ reader, writer }: SqliteConnections): SqliteConnection =>
  writer.database.isTransaction ? reader : writer;

const foldError = (reader: SqliteConnection, error: unknown) =>
  foldSqliteError(error, (table, columns) => uniqueIndexOver(reader, table, columns));

export function isPlainRead(query: CompiledQuery<unknown>): boolean {
  if (query.query.kind === 'SelectQueryNode') return true;
  return query.query.kind === 'RawNode' && /^\s*(select|explain)\b/i.test(query.sql);
}

function uniqueIndexOver(
  connection: SqliteConnection,
  table: string,
  columns: readonly string[],
): string | undefined {
  const indexes = connection.database
    .prepare(
      `select list.name, (select group_concat(name, ',' order by seqno) from pragma_index_info(list.name)) as columns
       from pragma_index_list(?) as list where list."unique" = 1`,
    )
    .all(table);
  const found = indexes.find((index) => index['columns'] === columns.join(','));
  return found ? String(found['name']) : undefined;
}
