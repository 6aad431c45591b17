import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { allMigrations } from '../../migrations.ts';
import { type Migration, readMigrations, SchemaMismatch } from './migrate.ts';
import { migrationSql } from './migration-sql.ts';
import { dumpSchema } from './schema-dump.ts';

const first: Migration = { number: 1, name: 'first', sql: 'create table one (id {{id}}, made {{bytes}});' };
const second: Migration = {
  number: 2,
  name: 'second',
  sql: `create table two (id {{id}}, at bigint default {{now_ms}}); insert into two (id) values (7);
-- sqlite:
create view on_sqlite as select 1 as one;
-- end
-- postgres:
create view on_postgres as select 1 as one;
-- end`,
};

forEachDatabase((kind, _open, create) => {
  it('applies what is missing, once', async () => {
    const test = await create([]);
    await (await test.open({ migrations: [first] })).close();
    const database = await test.open({ migrations: [second, first] });
    const { rows } = await sql`select number, name from schema_migrations order by number`.execute(
      database.db,
    );
    assert.deepEqual(rows, [
      { number: 1, name: 'first' },
      { number: 2, name: 'second' },
    ]);
    const stamped = await sql<{ at: number }>`select at from two`.execute(database.db);
    assert.ok((stamped.rows[0]?.at ?? 0) > 1_600_000_000_000, 'now_ms is in milliseconds');
    await sql`select one from ${sql.id(`on_${kind}`)}`.execute(database.db);
    await database.close();
    await (await test.open({ migrations: [first, second] })).close();
  });

  it('refuses the data of a newer version, and an edited migration, without touching them', async () => {
    const test = await create([]);
    const database = await test.open({ migrations: [first, second] });
    const before = await dumpSchema(database);
    await database.close();
    const newer = (error: unknown) => error instanceof SchemaMismatch && /newer version/.test(error.message);
    await assert.rejects(test.open({ migrations: [first] }), newer);
    const edited = { ...second, sql: `${second.sql} ` };
    await assert.rejects(test.open({ migrations: [first, edited] }), /changed after/);
    const same = { ...second, sql: second.sql.replaceAll('\n', '\r\n') };
    assert.equal(await dumpSchema(await test.open({ migrations: [first, same] })), before);
  });

  it('keeps the steps before one that fails, and nothing of that one', async () => {
    const test = await create([]);
    const broken = { number: 3, name: 'broken', sql: 'create table three (id {{id}}); create tabel four;' };
    await assert.rejects(test.open({ migrations: [first, broken] }), /migration 3 \(broken\) failed/);
    const schema = await dumpSchema(await test.open({ migrations: [first] }));
    assert.match(schema, /one/);
    assert.doesNotMatch(schema, /three/);
  });

  if (kind === 'postgres') {
    it('is done once when several processes start together', async () => {
      const test = await create([]);
      const all = await Promise.all([1, 2, 3].map(() => test.open({ migrations: [first, second] })));
      const { rows } = await sql`select id from two`.execute(all[0]!.db);
      assert.deepEqual(rows, [{ id: 7 }]);
    });
  } else {
    it('refuses a step that leaves a dangling foreign key', async () => {
      const test = await create([]);
      const dangling = {
        number: 3,
        name: 'dangling',
        sql: 'create table child (one_id bigint references one (id)); insert into child values (99);',
      };
      await assert.rejects(
        test.open({ migrations: [first, dangling] }),
        /dangling foreign key in table child/,
      );
    });
  }
});

describe('migration files', () => {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-migrations-'));
  after(() => rmSync(dir, { recursive: true }));

  it('are read in order; a folder that is not there holds none', () => {
    writeFileSync(join(dir, '0012-later.sql'), 'select 2');
    writeFileSync(join(dir, '0003-sooner.sql'), 'select 1');
    writeFileSync(join(dir, 'notes.md'), 'no migration');
    assert.deepEqual(readMigrations(pathToFileURL(dir)), [
      { number: 3, name: 'sooner', sql: 'select 1' },
      { number: 12, name: 'later', sql: 'select 2' },
    ]);
    assert.deepEqual(readMigrations(pathToFileURL(join(dir, 'nowhere'))), []);
    writeFileSync(join(dir, '12-bad.sql'), '');
    assert.throws(() => readMigrations(pathToFileURL(dir)), /NNNN-name/);
  });

  it('are refused with unknown tokens and broken sections', () => {
    assert.throws(() => migrationSql('{{what}}', 'sqlite'), /unknown token/);
    assert.throws(() => migrationSql('-- sqlite:\nx', 'sqlite'), /no "-- end"/);
    assert.throws(() => migrationSql('-- end', 'sqlite'), /never started/);
    assert.throws(() => migrationSql('-- sqlite:\n-- postgres:\n-- end', 'sqlite'), /inside/);
  });

  it('of all rooms have numbers of their own', () => {
    const numbers = allMigrations().map((migration) => migration.number);
    assert.equal(new Set(numbers).size, numbers.length);
  });
});
