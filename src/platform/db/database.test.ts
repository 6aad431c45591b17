import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { thingsMigration } from '../../../test/support/test-things.ts';
import type { Database } from './database.ts';
import {
  Away,
  Busy,
  CheckViolation,
  ForeignKeyViolation,
  InvalidValue,
  NotNullViolation,
  TransactionAborted,
  UniqueViolation,
} from './errors.ts';
import type { Queryable } from './tables.ts';
import { afterCommit } from './transactions.ts';

const migrations = [thingsMigration];

function add(db: Queryable, name: string, amount: number) {
  return db.insertInto('test_things').values({ name, amount }).returning('id').executeTakeFirstOrThrow();
}

async function names(db: Queryable): Promise<string[]> {
  const rows = await db.selectFrom('test_things').select('name').orderBy('id').execute();
  return rows.map((row) => row.name);
}

function raised(error: unknown): UniqueViolation {
  assert.ok(error instanceof UniqueViolation);
  return error;
}

forEachDatabase((kind, openFresh, create) => {
  const open = () => openFresh({ migrations });

  describe('values', () => {
    it('come back alike: numbers, 0 and 1, text, null, plain objects', async () => {
      const database = await open();
      const big = Number.MAX_SAFE_INTEGER;
      const text = 'ünï "\' \\ % _ 🦊';
      await database.db.insertInto('test_things').values({ name: text, amount: big }).execute();
      assert.deepEqual(await database.db.selectFrom('test_things').selectAll().execute(), [
        { id: 1, name: text, place: 'here', amount: big, box_id: null },
      ]);
      const computed = sql`select sum(id) as total, count(*) as n, max(amount) > 3 as more, 'A' like 'a' as same from test_things`;
      const { rows } = await computed.execute(database.db);
      assert.deepEqual(rows, [{ total: 1, n: 1, more: 1, same: 0 }]);
    });

    it('go in as booleans and undefined', async () => {
      const database = await open();
      await database.db
        .insertInto('test_things')
        .values({ name: 'x', amount: true as unknown as number, box_id: undefined as unknown as null })
        .execute();
      const row = await database.db.selectFrom('test_things').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual([row.amount, row.box_id], [1, null]);
    });

    it('never lose digits', async () => {
      const database = await open();
      await sql`insert into test_things (name, amount) values ('x', 9007199254740993)`.execute(database.db);
      await assert.rejects(database.db.selectFrom('test_things').selectAll().execute(), RangeError);
    });

    it('have numbers that are not given again', async () => {
      const database = await open();
      const { id } = await add(database.db, 'a', 1);
      await database.db.deleteFrom('test_things').where('id', '=', id).execute();
      assert.ok((await add(database.db, 'b', 1)).id > id);
    });

    it('tell how many rows were changed', async () => {
      const database = await open();
      for (const n of [1, 2, 3]) await add(database.db, `t${n}`, n);
      const query = database.db.updateTable('test_things').set({ place: 'there' }).where('amount', '>', 1);
      assert.equal((await query.executeTakeFirstOrThrow()).numUpdatedRows, 2n);
    });
  });

  describe('errors', () => {
    it('name the unique index, over columns or an expression', async () => {
      const database = await open();
      await add(database.db, 'Name', 1);
      const byName = raised(await add(database.db, 'name', 2).catch((error: unknown) => error));
      assert.equal(byName.constraint, 'test_things_name');
      const byPlace = raised(await add(database.db, 'other', 1).catch((error: unknown) => error));
      assert.equal(byPlace.constraint, 'test_things_place');
      assert.deepEqual([byPlace.table, byPlace.columns], ['test_things', ['place', 'amount']]);
    });

    it('are of the same classes', async () => {
      const database = await open();
      const insert = (values: object) =>
        database.db
          .insertInto('test_things')
          .values(values as { name: string; amount: number })
          .execute();
      await assert.rejects(insert({ name: 'x', amount: 1, box_id: 99 }), ForeignKeyViolation);
      await assert.rejects(insert({ name: null, amount: 1 }), NotNullViolation);
      await assert.rejects(insert({ name: 'x', amount: -1 }), CheckViolation);
      await assert.rejects(insert({ name: 'a\0b', amount: 1 }), InvalidValue);
      await assert.rejects(
        add(database.db, 'x', 1).then(() => add(database.db, 'x', 2)),
        UniqueViolation,
      );
    });

    it('end the transaction, even when the caller goes on', async () => {
      const database = await open();
      await add(database.db, 'taken', 1);
      const goesOn = database.transaction(async (tx) => {
        await add(tx, 'lost', 2);
        await add(tx, 'taken', 3).catch(() => {});
        await add(tx, 'refused', 4);
      });
      await assert.rejects(goesOn, TransactionAborted);
      const commits = database.transaction(async (tx) => {
        await add(tx, 'lost', 2);
        await add(tx, 'taken', 3).catch(() => {});
      });
      await assert.rejects(commits, TransactionAborted);
      assert.deepEqual(await names(database.db), ['taken']);
      await database.transaction((tx) => add(tx, 'works again', 5));
    });
  });

  describe('transactions', () => {
    it('commit together or not at all', async () => {
      const database = await open();
      await assert.rejects(
        database.transaction(async (tx) => {
          await add(tx, 'a', 1);
          throw new Error('changed my mind');
        }),
        /changed my mind/,
      );
      await database.transaction(async (tx) => {
        await add(tx, 'b', 1);
        await add(tx, 'c', 2);
      });
      assert.deepEqual(await names(database.db), ['b', 'c']);
    });

    it('never mix with the statements of others', async () => {
      const database = await open();
      const inside = Promise.withResolvers<void>();
      const failing = database.transaction(async (tx) => {
        await add(tx, 'rolled back', 1);
        inside.resolve();
        await sleep(10);
        assert.deepEqual(await names(tx), ['rolled back']);
        throw new Error('no');
      });
      const refused = assert.rejects(failing, /no/);
      await inside.promise;
      assert.deepEqual(await names(database.db), [], 'a reader sees nothing of it');
      const write = add(database.db, 'kept', 2);
      const other = database.transaction((tx) => add(tx, 'kept too', 3));
      await refused;
      await Promise.all([write, other]);
      assert.deepEqual((await names(database.db)).sort(), ['kept', 'kept too']);
    });

    it('read what they wrote, and count up without losing one', async () => {
      const database = await open();
      const { id } = await add(database.db, 'counter', 0);
      const increment = () =>
        database.transaction(async (tx) => {
          const row = await tx
            .selectFrom('test_things')
            .select('amount')
            .where('id', '=', id)
            .executeTakeFirstOrThrow();
          await sleep(1);
          const amount = row.amount + 1;
          await tx.updateTable('test_things').set({ amount }).where('id', '=', id).execute();
          assert.equal((await tx.selectFrom('test_things').selectAll().executeTakeFirst())?.amount, amount);
        });
      await Promise.all(Array.from({ length: 4 }, increment));
      assert.equal((await database.db.selectFrom('test_things').selectAll().executeTakeFirst())?.amount, 4);
    });

    it('call back after the commit, and only then', async () => {
      const database = await open();
      const seen: string[][] = [];
      const look = async () => void seen.push(await names(database.db));
      let called = Promise.resolve();
      await assert.rejects(
        database.transaction(async (tx) => {
          afterCommit(tx, () => assert.fail('it was rolled back'));
          throw new Error('no');
        }),
        /no/,
      );
      await database.transaction(async (tx) => {
        afterCommit(tx, () => {
          called = look();
        });
        afterCommit(tx, () => {
          throw new Error('does not undo the commit');
        });
        await add(tx, 'a', 1);
        assert.deepEqual(seen, []);
      });
      await called;
      assert.deepEqual(seen, [['a']]);
    });

    it('let many be under way', async () => {
      const database = await open();
      const work = (n: number) =>
        database.transaction(async (tx) => {
          await add(tx, `first ${n}`, n * 2);
          await sleep(Math.random());
          await add(tx, `second ${n}`, n * 2 + 1);
          if (n % 3 === 0) throw new Error('rolled back');
        });
      const results = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => work(n)));
      const failed = results.filter((result) => result.status === 'rejected').length;
      assert.equal(failed, 4);
      const kept = await names(database.db);
      assert.equal(kept.length, 16);
      for (const n of [1, 2, 4, 5, 7, 8, 10, 11])
        assert.ok(kept.includes(`first ${n}`) && kept.includes(`second ${n}`));
    });
  });

  describe('closing', () => {
    it('may be asked for twice, and lets the next one open', async () => {
      const test = await create(migrations);
      const database = await test.open();
      await add(database.db, 'a', 1);
      await Promise.all([database.close(), database.close()]);
      const again = await test.open();
      assert.deepEqual(await names(again.db), ['a']);
    });
  });

  if (kind === 'postgres') {
    it('outlives a connection that ends in the middle of a transaction', async () => {
      const database = await open();
      const lost = database.transaction(async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(database.db);
        await sleep(100); // nobody asks anything of the connection while it ends
        await add(tx, 'late', 1);
      });
      await assert.rejects(lost, Away);
      assert.deepEqual(await names(database.db), []);
    });

    it('gives up a transaction that keeps colliding, as busy', async () => {
      const database = await open();
      await add(database.db, 'counter', 0);
      let attempts = 0;
      const collides = database.transaction(async (tx) => {
        attempts++;
        const { amount } = await tx.selectFrom('test_things').selectAll().executeTakeFirstOrThrow();
        await bump(database);
        await tx.updateTable('test_things').set({ amount }).execute();
      });
      await assert.rejects(
        collides,
        (error: unknown) => error instanceof Busy && error.reason === 'serialization',
      );
      assert.equal(attempts, 8);
    });
  }
});

function bump(database: Database) {
  return database.db
    .updateTable('test_things')
    .set((eb) => ({ amount: eb('amount', '+', 1) }))
    .execute();
}
