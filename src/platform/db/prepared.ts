import { createHash } from 'node:crypto';
import type { Compilable, CompiledQuery } from 'kysely';
import { DirectReads } from './direct-reads.ts';
import { isPlainRead } from './sqlite-dialect.ts';
import type { Db, Queryable } from './tables.ts';

/** Stands for a value that is not known yet; Kysely takes it for a parameter like any other. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** What `prepared` gives: all rows, read from `on` (a transaction, say) or else from the database it was made for. */
export type PreparedQuery<P, R> = (parameters: P, on?: Queryable) => Promise<R[]>;

/**
 * Builds and compiles a query once, for a route that runs it all the time: building and compiling take as long as SQLite
 * itself (11 us for a point read through Kysely, 7 us so). On SQLite it then also goes past Kysely's connections; on PostgreSQL it
 * is a prepared statement. Only for what wants the same plan whatever the values are: no patterns, no rare among frequent ones.
 *
 * ```ts
 * const userById = prepared(db, (db, at: { id: number }) =>
 *   db.selectFrom('users').selectAll().where('id', '=', at.id));
 * const [user] = await userById({ id: 7 });
 * ```
 *
 * A parameter stands for one value: lists (`in`) and null (`is`) change the SQL and cannot be one.
 */
export function prepared<P extends Record<string, unknown>, R>(
  db: Db,
  build: (db: Db, parameters: P) => Pick<Compilable<R>, 'compile'>,
): PreparedQuery<P, R> {
  return compose(db, build, new Proxy({} as P, { get: (_, name) => new Placeholder(String(name)) }));
}

/** Composes a statement: `placeholders` stand for the values that it will be run with. */
function compose<P extends Record<string, unknown>, R>(
  db: Db,
  build: (db: Db, parameters: P) => Pick<Compilable<R>, 'compile'>,
  placeholders: P,
  { planEachTime = false }: PlanOptions = {},
): PreparedQuery<P, R> {
  const plain = build(db, placeholders).compile();
  const compiled: ComposedQuery<R> = { ...plain, statement: planEachTime ? null : nameOf(plain.sql) };
  const reads = isPlainRead(compiled);
  return async (parameters, on = db) => {
    if (reads && on instanceof DirectReads) {
      return on.read<R>({ sql: compiled.sql, parameters: valuesOf(compiled, parameters) });
    }
    return (await on.executeQuery<R>(fill(compiled, parameters))).rows;
  };
}

/**
 * The same for a store's functions, which are told with each call where to read or write: composed at the first call on each
 * database, for each set of names that parameters come with. So `...rest` may be the columns of a row, or the members of a list.
 * One that is undefined is left away.
 *
 * ```ts
 * const change = composed((db, { id, ...changes }: { id: number } & Partial<User>) =>
 *   db.updateTable('users').set(changes).where('id', '=', id).returningAll());
 * const [user] = await change(tx, { id: 7, name: 'Ada' });
 * ```
 *
 * Names must come from the code: each set of them is kept.
 */
export function composed<P extends Record<string, unknown>, R>(
  build: (db: Db, parameters: P) => Pick<Compilable<R>, 'compile'>,
  options?: PlanOptions,
): (on: Queryable, parameters: P) => Promise<R[]> {
  // A database and its transactions share one adapter, and nothing else that lasts.
  const made = new WeakMap<object, Map<string, PreparedQuery<P, R>>>();
  return (on, parameters) => {
    const { adapter } = on.getExecutor();
    const queries = made.get(adapter) ?? new Map<string, PreparedQuery<P, R>>();
    const names = Object.keys(parameters).filter((name) => parameters[name] !== undefined);
    const shape = names.join();
    let query = queries.get(shape);
    if (!query) {
      const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
      query = compose(on, build, placeholders as P, options);
      made.set(adapter, queries.set(shape, query));
    }
    return query(parameters, on);
  };
}

export interface PlanOptions {
  /**
   * For tables that are empty now and full the next minute: PostgreSQL would keep to the plan for an empty one, which reads all of
   * it, until it has looked at the table again.
   */
  planEachTime?: boolean;
}

/** A statement that was composed once, with the name under which PostgreSQL keeps it; null where it is to be planned each time. */
export interface ComposedQuery<R = unknown> extends CompiledQuery<R> {
  readonly statement: string | null;
}

/** The same text has the same name, so that no two texts ever share one. */
const nameOf = (sql: string): string => createHash('sha256').update(sql).digest('hex').slice(0, 24);

function fill<R>(compiled: ComposedQuery<R>, values: Record<string, unknown>): ComposedQuery<R> {
  return { ...compiled, parameters: valuesOf(compiled, values) };
}

const valuesOf = (compiled: CompiledQuery<unknown>, values: Record<string, unknown>): unknown[] =>
  compiled.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value));
