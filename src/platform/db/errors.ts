/**
 * What a database may answer instead of a result, the same for both. The drivers' own codes are folded into these classes
 * here and nowhere else; a store or a route only ever sees them.
 */
export class DatabaseError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
  }
}

/** A row of that key exists already. */
export class UniqueViolation extends DatabaseError {
  /** Name of the unique index, the same on both databases when it was made by `create unique index NAME`. */
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  /** Empty when the index is over an expression, or when the database does not say. */
  readonly columns: readonly string[];

  constructor(where: { constraint?: string; table?: string; columns?: readonly string[] }, cause?: unknown) {
    super(`unique violation: ${where.constraint ?? where.columns?.join(', ') ?? 'unknown key'}`, cause);
    this.constraint = where.constraint;
    this.table = where.table;
    this.columns = where.columns ?? [];
  }
}

/** The row points at one that is not there, or is still pointed at. */
export class ForeignKeyViolation extends DatabaseError {}

export class NotNullViolation extends DatabaseError {}

export class CheckViolation extends DatabaseError {}

/** A value that the column cannot hold: a NUL byte in text, an integer beyond 64 bits. */
export class InvalidValue extends DatabaseError {}

export type BusyReason = 'lock' | 'serialization' | 'deadlock';

/** The database cannot serve this now, later it can. Routes answer 503. */
export class Busy extends DatabaseError {
  readonly reason: BusyReason;

  constructor(reason: BusyReason, message: string, cause?: unknown) {
    super(message, cause);
    this.reason = reason;
  }
}

/** The database cannot be reached, or ended in the middle. Routes answer 503. */
export class Away extends DatabaseError {}

/**
 * A statement failed earlier in this transaction, and the caller went on. PostgreSQL refuses that by itself and would turn
 * the commit into a silent rollback; both databases refuse it aloud, so that what works on one works on the other.
 */
export class TransactionAborted extends DatabaseError {
  constructor() {
    super('an earlier statement of this transaction failed; nothing of it can be committed');
  }
}

/** Finds the unique index over exactly these columns; SQLite reports columns where PostgreSQL reports the index. */
export type IndexLookup = (table: string, columns: readonly string[]) => string | undefined;

interface SqliteError extends Error {
  code: 'ERR_SQLITE_ERROR';
  /** Extended result code, https://sqlite.org/rescode.html */
  errcode: number;
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CONSTRAINT_CHECK = 275;
const SQLITE_CONSTRAINT_FOREIGNKEY = 787;
const SQLITE_CONSTRAINT_NOTNULL = 1299;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** Turns what `node:sqlite` threw into one of the classes above; anything else is returned as it is. */
export function foldSqliteError(error: unknown, indexOf: IndexLookup): unknown {
  if (!isSqliteError(error)) return error;
  switch (error.errcode) {
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_UNIQUE:
      return sqliteUniqueViolation(error, indexOf);
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return new ForeignKeyViolation(error.message, error);
    case SQLITE_CONSTRAINT_NOTNULL:
      return new NotNullViolation(error.message, error);
    case SQLITE_CONSTRAINT_CHECK:
      return new CheckViolation(error.message, error);
  }
  // The low byte is the primary code; SQLITE_BUSY_SNAPSHOT (517) and others carry detail above it.
  const primary = error.errcode & 0xff;
  if (primary === SQLITE_BUSY || primary === SQLITE_LOCKED) return new Busy('lock', error.message, error);
  return error;
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

/** SQLite's text is `UNIQUE constraint failed: t.a, t.b`, or `… failed: index 'name'` for an index over expressions. */
function sqliteUniqueViolation(error: SqliteError, indexOf: IndexLookup): UniqueViolation {
  const index = /: index '(.+)'$/.exec(error.message)?.[1];
  if (index) return new UniqueViolation({ constraint: index }, error);
  const names = (error.message.split('failed: ')[1] ?? '').split(', ').map((name) => name.split('.'));
  const table = names[0]?.[0];
  const columns = names.flatMap(([, column]) => column ?? []);
  const constraint = table ? indexOf(table, columns) : undefined;
  return new UniqueViolation({ constraint, table, columns }, error);
}

interface PostgresError extends Error {
  /** SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html */
  code: string;
  constraint?: string;
  table?: string;
  detail?: string;
}

/** Turns what `pg` threw into one of the classes above; anything else is returned as it is. */
export function foldPostgresError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (isConnectionError(error)) return new Away(error.message, error);
  if (!('code' in error) || typeof error.code !== 'string') return error;
  const problem = error as PostgresError;
  switch (problem.code) {
    case '23505':
      return postgresUniqueViolation(problem);
    case '23503':
    case '23001':
      return new ForeignKeyViolation(problem.message, problem);
    case '23502':
      return new NotNullViolation(problem.message, problem);
    case '23514':
      return new CheckViolation(problem.message, problem);
    case '22003':
    case '22021':
    case '22P02':
    case '22P05':
      return new InvalidValue(problem.message, problem);
    case '40001':
      return new Busy('serialization', problem.message, problem);
    case '0A000':
      // of an unsupported feature, or of a prepared statement whose table has changed: that one is prepared anew the next time
      return problem.message.startsWith('cached plan ')
        ? new Busy('serialization', problem.message, problem)
        : error;
    case '40P01':
      return new Busy('deadlock', problem.message, problem);
    case '53300':
    case '55P03':
      return new Busy('lock', problem.message, problem);
  }
  return error;
}

/** Class 08 and the shutdown codes of PostgreSQL, what the system says of a socket, and `pg`'s own errors, which have only a text. */
const AWAY =
  /^(?:08...|57P0[1-3]|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const AWAY_TEXT =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

function isConnectionError(error: Error & { code?: unknown }): boolean {
  return typeof error.code === 'string' ? AWAY.test(error.code) : AWAY_TEXT.test(error.message);
}

/** `detail` is `Key (a, b)=(1, 2) already exists.`; for an index over expressions the names are the expressions. */
function postgresUniqueViolation(error: PostgresError): UniqueViolation {
  const keys = /^Key \((.+)\)=\(/.exec(error.detail ?? '')?.[1] ?? '';
  const columns = keys.split(', ').filter((name) => /^\w+$/.test(name));
  return new UniqueViolation({ constraint: error.constraint, table: error.table, columns }, error);
}
