import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import pg from 'pg';
import { allMigrations } from '../../src/migrations.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/platform/db/database.ts';
import type { DialectName, Migration } from '../../src/platform/db/migrate.ts';
import { createLog } from '../../src/platform/log.ts';
import { Metrics } from '../../src/platform/metrics.ts';
import { postgresSocket, postgresUrl } from './postgres-server.ts';

export const dialects: readonly DialectName[] = ['sqlite', 'postgres'];

/** A fresh, migrated database that nobody has opened yet; it may be opened again and again, as after a crash. */
export interface TestDatabase {
  kind: DialectName;
  /** What `openDatabase` or a whole service needs to find it: `dir` is a temporary folder in any case. */
  dir: string;
  url: string | undefined;
  open(overrides?: Partial<DatabaseOptions>): Promise<Database>;
  /** Closes what `open` handed out, and throws everything away. */
  drop(): Promise<void>;
}

export type OpenFresh = (overrides?: Partial<DatabaseOptions>) => Promise<Database>;
export type CreateFresh = (migrations?: readonly Migration[]) => Promise<TestDatabase>;

/**
 * Declares a suite once for each database. `open` gives a fresh migrated database, `create` one to open by hand;
 * both are closed and removed when the suite ends.
 *
 * ```ts
 * forEachDatabase((kind, open) => {
 *   it('keeps a user', async () => { const database = await open(); … });
 * });
 * ```
 */
export function forEachDatabase(
  suite: (kind: DialectName, open: OpenFresh, create: CreateFresh) => void,
): void {
  for (const kind of dialects) {
    describe(`on ${kind}`, () => {
      const created: TestDatabase[] = [];
      after(() => Promise.all(created.map((database) => database.drop())));
      const create: CreateFresh = async (migrations) => {
        const database = await createTestDatabase(kind, migrations);
        created.push(database);
        return database;
      };
      suite(kind, async (overrides) => (await create(overrides?.migrations)).open(overrides), create);
    });
  }
}

/** For suites that cannot use `forEachDatabase`; the caller must `drop`. */
export async function createTestDatabase(
  kind: DialectName,
  migrations: readonly Migration[] = allMigrations(),
): Promise<TestDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-test-'));
  const server = kind === 'postgres' ? await createOnServer(migrations) : undefined;
  const opened: Database[] = [];
  return {
    kind,
    dir,
    url: server?.url,
    async open(overrides) {
      const database = await openDatabase({
        dir,
        url: server?.url,
        migrations,
        log: createLog('silent'),
        metrics: new Metrics(),
        poolSize: 4,
        ...overrides,
      });
      opened.push(database);
      return database;
    },
    async drop() {
      for (const database of opened) await database.close();
      await server?.drop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function createOnServer(migrations: readonly Migration[]) {
  const socket = await postgresSocket();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdministrator(socket, async (client) => {
    const template = await migratedTemplate(client, socket, migrations);
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    url: postgresUrl(socket, name),
    drop: () =>
      asAdministrator(socket, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

async function asAdministrator<T>(socket: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: postgresUrl(socket, 'postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Copying a migrated database takes a third of migrating one. Test processes agree on who makes it by a lock. */
async function migratedTemplate(
  client: pg.Client,
  socket: string,
  migrations: readonly Migration[],
): Promise<string> {
  const name = `template_${createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16)}`;
  if (await exists(client, name)) return name;
  await client.query('select pg_advisory_lock(1)');
  try {
    if (!(await exists(client, name))) await makeTemplate(client, socket, name, migrations);
  } finally {
    await client.query('select pg_advisory_unlock(1)');
  }
  return name;
}

async function exists(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
  return rowCount === 1;
}

/** Renamed when it is whole, so that its name never stands for a half-made one. */
async function makeTemplate(
  client: pg.Client,
  socket: string,
  name: string,
  migrations: readonly Migration[],
): Promise<void> {
  const draft = `draft_${randomUUID().replaceAll('-', '')}`;
  await client.query(`create database ${draft}`);
  const database = await openDatabase({
    url: postgresUrl(socket, draft),
    dir: tmpdir(),
    migrations,
    log: createLog('silent'),
    metrics: new Metrics(),
  });
  await database.close();
  await client.query(`alter database ${draft} rename to ${name}`);
}
