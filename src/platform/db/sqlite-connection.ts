import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { InvalidValue } from './errors.ts';

interface Prepared {
  statement: StatementSync;
  /** None for a statement that gives no rows. The schema does not change while the service runs. */
  columns: readonly string[];
}

/** Statements are some kilobytes each; the service has a few hundred texts, lists of ids make some more. */
const MAX_STATEMENTS = 500;

/** One open SQLite file handle: settings, prepared statements by their text, and parameters as SQLite knows them. */
export class SqliteConnection {
  readonly database: DatabaseSync;
  readonly #statements = new LRUCache<string, Prepared>({ max: MAX_STATEMENTS });

  constructor(path: string, pragmas: readonly string[]) {
    this.database = new DatabaseSync(path);
    for (const pragma of pragmas) this.database.exec(`pragma ${pragma}`);
  }

  /** Runs one statement to its end. Rows are plain objects; integers beyond 2^53 are refused, never rounded. */
  execute<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, columns } = this.#prepare(query.sql);
    const values = query.parameters.map(toSqliteValue);
    if (columns.length > 0) return { rows: toObjects(columns, statement.all(...values)) as R[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  close(): void {
    this.#statements.clear();
    this.database.close();
  }

  #prepare(text: string): Prepared {
    let prepared = this.#statements.get(text);
    if (!prepared) {
      const statement = this.database.prepare(text);
      statement.setReturnArrays(true);
      prepared = { statement, columns: statement.columns().map((column) => column.name) };
      this.#statements.set(text, prepared);
    }
    return prepared;
  }
}

/**
 * Plain objects, as `pg` gives them. `node:sqlite` makes objects without a prototype by itself, in dictionary form: taking
 * arrays and building the rows here reads a page of 20 in 10 us instead of 15, and copying those objects would cost 33.
 */
function toObjects(columns: readonly string[], rows: unknown): Record<string, unknown>[] {
  return (rows as unknown[][]).map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index];
    return row;
  });
}

function toSqliteValue(value: unknown): SQLInputValue {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'boolean':
      return value ? 1 : 0;
    case 'string':
      // PostgreSQL refuses it too; SQLite would keep it and cut the text at it in half of its functions.
      if (value.includes('\0')) throw new InvalidValue('text with a NUL byte');
      return value;
    default:
      return value as SQLInputValue;
  }
}
