import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { InvalidValue } from './errors.ts';

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
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
    const { statement, returnsRows } = this.#prepare(query.sql);
    const values = toSqliteValues(query.parameters);
    if (returnsRows) return { rows: plainRows(statement.all(...values)) as R[] };
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
      prepared = { statement, returnsRows: statement.columns().length > 0 };
      this.#statements.set(text, prepared);
    }
    return prepared;
  }
}

/** `node:sqlite` gives objects without a prototype; `pg` gives plain ones, and what compares or prints rows expects those. */
function plainRows(rows: Record<string, unknown>[]): Record<string, unknown>[] {
  for (let index = 0; index < rows.length; index++) rows[index] = { ...rows[index] };
  return rows;
}

function toSqliteValues(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map(toSqliteValue);
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
