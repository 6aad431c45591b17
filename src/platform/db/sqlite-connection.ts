import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { InvalidValue } from './errors.ts';

interface Prepared {
  statement: StatementSync;
  /** Null for a statement that gives no rows. The schema does not change while the service runs. */
  toObject: ((values: unknown[]) => Record<string, unknown>) | null;
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
  execute<R>(query: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<R> {
    const { statement, toObject } = this.#prepare(query.sql);
    const values = query.parameters.map(toSqliteValue);
    if (toObject) return { rows: (statement.all(...values) as unknown as unknown[][]).map(toObject) as R[] };
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
      const columns = statement.columns().map((column) => column.name);
      prepared = { statement, toObject: columns.length > 0 ? rowFactory(columns) : null };
      this.#statements.set(text, prepared);
    }
    return prepared;
  }
}

/**
 * Plain objects, as `pg` gives them. `node:sqlite` makes objects without a prototype by itself, in dictionary form: taking
 * arrays and building the rows here reads a page of 20 in 10 us instead of 15, and copying those objects would cost 33.
 * A literal written for the statement gives all its rows one hidden class at once; filling `{}` column by column would go
 * through as many of them as there are columns (5 us for a project). The names are those of our own statements, as JSON.
 */
function rowFactory(columns: readonly string[]): (values: unknown[]) => Record<string, unknown> {
  const fields = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  return new Function('values', `return { ${fields.join(', ')} };`) as (
    values: unknown[],
  ) => Record<string, unknown>;
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
