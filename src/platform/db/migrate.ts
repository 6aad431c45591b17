import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { migrationSql } from './migration-sql.ts';

export type DialectName = 'sqlite' | 'postgres';

/** One step of the schema. Numbers are unique over all rooms and give the order. */
export interface Migration {
  number: number;
  name: string;
  /** As in the file: tokens and sections are resolved per dialect by `migration-sql.ts`. */
  sql: string;
}

/** A connection that takes whole scripts, which Kysely's do not. */
export interface ScriptConnection {
  readonly dialect: DialectName;
  exec(script: string): Promise<void>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
}

/** The data was written by a newer Ingot, or by one whose migrations differ; starting would damage it. */
export class SchemaMismatch extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SchemaMismatch';
  }
}

/** Reads `NNNN-name.sql` of a folder in order; a folder that is not there holds none. */
export function readMigrations(dir: URL): Migration[] {
  if (!existsSync(dir)) return [];
  const files = readdirSync(dir).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file) => {
    const [, number, name] = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file) ?? [];
    if (!number || !name) throw new Error(`${file}: a migration is named NNNN-name.sql`);
    return { number: Number(number), name, sql: readFileSync(new URL(file, slashed(dir)), 'utf8') };
  });
}

function slashed(dir: URL): URL {
  return dir.href.endsWith('/') ? dir : new URL(`${dir.href}/`);
}

/**
 * Brings the schema up to date, each migration in a transaction of its own. The caller makes sure that no other process
 * does the same at the same time. Throws `SchemaMismatch` rather than touch a schema that it does not know.
 */
export async function migrate(connection: ScriptConnection, migrations: readonly Migration[]): Promise<void> {
  const ordered = inOrder(migrations);
  await connection.exec(`create table if not exists schema_migrations (
    number bigint primary key,
    name text not null,
    checksum text not null,
    applied_at bigint not null
  )`);
  const applied = await appliedMigrations(connection);
  refuseUnknown(applied, ordered);
  for (const migration of ordered) {
    if (!applied.has(migration.number)) await apply(connection, migration);
  }
}

interface Applied {
  name: string;
  checksum: string;
}

async function appliedMigrations(connection: ScriptConnection): Promise<Map<number, Applied>> {
  const rows = await connection.rows('select number, name, checksum from schema_migrations order by number');
  return new Map(
    rows.map((row) => [
      Number(row['number']),
      { name: String(row['name']), checksum: String(row['checksum']) },
    ]),
  );
}

function inOrder(migrations: readonly Migration[]): Migration[] {
  const ordered = [...migrations].sort((a, b) => a.number - b.number);
  for (const [index, migration] of ordered.entries()) {
    const next = ordered[index + 1];
    if (next?.number === migration.number) {
      throw new Error(`migrations ${migration.name} and ${next.name} both have number ${migration.number}`);
    }
  }
  return ordered;
}

function refuseUnknown(applied: Map<number, Applied>, known: readonly Migration[]): void {
  const byNumber = new Map(known.map((migration) => [migration.number, migration]));
  for (const [number, { name, checksum }] of applied) {
    const migration = byNumber.get(number);
    if (!migration) {
      throw new SchemaMismatch(
        `the database has migration ${number} (${name}), which this version of Ingot does not know: ` +
          'it was written by a newer version. Start that version, or restore a backup from before the upgrade.',
      );
    }
    if (checksum !== checksumOf(migration)) {
      throw new SchemaMismatch(
        `migration ${number} (${name}) was changed after this database applied it: ` +
          'add a new migration instead of editing one that is out.',
      );
    }
  }
}

async function apply(connection: ScriptConnection, migration: Migration): Promise<void> {
  await connection.exec(connection.dialect === 'sqlite' ? 'begin exclusive' : 'begin');
  try {
    await connection.exec(migrationSql(migration.sql, connection.dialect));
    await refuseDangling(connection);
    await connection.exec(
      `insert into schema_migrations (number, name, checksum, applied_at)
       values (${migration.number}, '${migration.name}', '${checksumOf(migration)}', ${Date.now()})`,
    );
    await connection.exec('commit');
  } catch (error) {
    await connection.exec('rollback');
    throw new Error(`migration ${migration.number} (${migration.name}) failed: ${String(error)}`, {
      cause: error,
    });
  }
}

/** SQLite migrates with foreign keys off, the only way to rebuild a table that others point at; so check them here. */
async function refuseDangling(connection: ScriptConnection): Promise<void> {
  if (connection.dialect !== 'sqlite') return;
  const [dangling] = await connection.rows('pragma foreign_key_check');
  if (dangling) throw new Error(`it leaves a dangling foreign key in table ${dangling['table']}`);
}

/** Line ends do not count: a checkout on another system may turn them. */
function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql.replaceAll('\r\n', '\n')).digest('hex');
}
