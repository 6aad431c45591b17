import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { thingsMigration } from '../../../test/support/test-things.ts';
import { composed, prepared } from './prepared.ts';
import type { Queryable } from './tables.ts';

function add(db: Queryable, name: string, amount: number) {
  return db.insertInto('test_things').values({ name, amount }).returning('id').executeTakeFirstOrThrow();
}

async function names(db: Queryable): Promise<string[]> {
  const rows = await db.selectFrom('test_things').select('name').orderBy('id').execute();
  return rows.map((row) => row.name);
}

forEachDatabase((kind, openFresh) => {
  const open = () => openFresh({ migrations: [thingsMigration] });

  describe('prepared queries', () => {
    it('take new values each time, in the database and in a transaction', async () => {
      const database = await open();
      const find = prepared(database.db, (db, at: { place: string; least: number }) =>
        db
          .selectFrom('test_things')
          .select(['name', 'amount'])
          .where('place', '=', at.place)
          .where('amount', '>=', at.least)
          .orderBy('amount'),
      );
      for (const n of [1, 2, 3]) await add(database.db, `t${n}`, n);
      assert.deepEqual(await find({ place: 'here', least: 3 }), [{ name: 't3', amount: 3 }]);
      assert.equal((await find({ place: 'here', least: 2 })).length, 2);
      assert.deepEqual(await find({ place: 'elsewhere', least: 0 }), []);
      await database.transaction(async (tx) => {
        await add(tx, 't4', 4);
        assert.equal((await find({ place: 'here', least: 4 }, tx)).length, 1);
        assert.equal((await find({ place: 'here', least: 4 })).length, 0);
      });
    });

    it('are composed for each set of names that they are asked with', async () => {
      const database = await open();
      const insert = composed((db, values: { name: string; amount: number; place?: string | undefined }) =>
        db.insertInto('test_things').values(values),
      );
      const among = composed(
        (db, { least, ...wanted }: { least: number } & Record<string, string | number>) =>
          db
            .selectFrom('test_things')
            .select('name')
            .where('amount', '>=', least)
            .where('name', 'in', Object.values(wanted) as string[])
            .orderBy('name'),
      );
      await insert(database.db, { name: 'a', amount: 1, place: undefined });
      await insert(database.db, { name: 'b', amount: 1, place: 'there' });
      await insert(database.db, { name: 'c', amount: 2 });
      assert.deepEqual(
        await database.db.selectFrom('test_things').select('place').orderBy('id').execute(),
        ['here', 'there', 'here'].map((place) => ({ place })),
      );
      const found = async (...args: Parameters<typeof among>) =>
        (await among(...args)).map(({ name }) => name);
      assert.deepEqual(await found(database.db, { least: 1, first: 'a' }), ['a']);
      assert.deepEqual(await found(database.db, { least: 1, first: 'c', second: 'b' }), ['b', 'c']);
      assert.deepEqual(await found(database.db, { least: 2, first: 'a', second: 'c' }), ['c']);
    });

    it('are composed once for every database that they are asked of', async () => {
      const one = await open();
      const other = await open();
      let builds = 0;
      const insert = composed((db, at: { name: string; amount: number }) => {
        builds++;
        return db.insertInto('test_things').values({ name: at.name, amount: at.amount }).returning('id');
      });
      assert.deepEqual(await insert(one.db, { name: 'a', amount: 1 }), [{ id: 1 }]);
      await one.transaction((tx) => insert(tx, { name: 'b', amount: 2 }));
      assert.deepEqual(await insert(other.db, { name: 'c', amount: 3 }), [{ id: 1 }]);
      assert.deepEqual(await names(one.db), ['a', 'b']);
      assert.deepEqual(await names(other.db), ['c']);
      assert.equal(builds, 2);
    });
  });

  if (kind === 'postgres') {
    it('are kept by the server, unless they are to be planned each time', async () => {
      const database = await open();
      const kept = composed((db) => db.selectFrom('test_things').select('name as kept'));
      const anew = composed((db) => db.selectFrom('test_things').select('name as anew'), {
        planEachTime: true,
      });
      const statements = await database.transaction(async (tx) => {
        for (let n = 0; n < 2; n++) await Promise.all([kept(tx, {}), anew(tx, {})]);
        return (await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(tx))
          .rows;
      });
      assert.deepEqual(
        statements.map(({ statement }) => statement),
        ['select "name" as "kept" from "test_things"'],
      );
    });

    it('knows in prepared queries of a column that another process has added since', async () => {
      const database = await open();
      const all = composed((db) => db.selectFrom('test_things').selectAll());
      await add(database.db, 'a', 1);
      // on every connection, so that each holds the statement as it was
      const both = () => Promise.all([all(database.db, {}), database.transaction((tx) => all(tx, {}))]);
      await both();
      for (const column of ['colour', 'weight']) {
        await sql`alter table test_things add column ${sql.ref(column)} text`.execute(database.db);
        for (const rows of [...(await both()), ...(await both())]) assert.ok(column in rows[0]!);
      }
    });
  }
});
