import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, forEachDatabase } from '../../../test/support/databases.ts';
import { thingsMigration } from '../../../test/support/test-things.ts';
import type { Database } from './database.ts';
import { WhileUnchanged } from './unchanged.ts';

const migrations = [thingsMigration];
const add = (database: Database, name: string) =>
  database.db.insertInto('test_things').values({ name, amount: 1 }).execute();

/** Counts the things through a memo, and how often it had to look. */
function counted(database: Database) {
  const known = new WhileUnchanged<number>(database);
  const seen = { reads: 0 };
  const count = async () => {
    seen.reads++;
    return (await database.db.selectFrom('test_things').select('id').execute()).length;
  };
  return { seen, ask: async () => known.get('all', count) };
}

forEachDatabase((kind, open) => {
  it('what was read is right after every write', async () => {
    const database = await open({ migrations });
    const { ask } = counted(database);
    assert.equal(await ask(), 0);
    await add(database, 'a');
    assert.equal(await ask(), 1);
    await database.transaction(async (tx) => {
      await tx.insertInto('test_things').values({ name: 'b', amount: 2 }).execute();
      assert.equal(await ask(), 1, 'not committed yet');
    });
    assert.equal(await ask(), 2);
    await database.db.deleteFrom('test_things').where('name', '=', 'a').execute();
    assert.equal(await ask(), 1);
  });

  it('nothing is read again while nothing changes, where no other process can write', async () => {
    const database = await open({ migrations });
    const { ask, seen } = counted(database);
    for (let i = 0; i < 5; i++) await ask();
    assert.equal(seen.reads, kind === 'sqlite' ? 1 : 5);
  });

  it('a value that a write overtook is not kept', async () => {
    const database = await open({ migrations });
    const known = new WhileUnchanged<string>(database);
    const old = known.get('x', async () => {
      await add(database, 'meanwhile');
      return 'before';
    });
    assert.equal(await old, 'before');
    assert.equal(await known.get('x', async () => 'after'), 'after');
  });
});

describe('on sqlite', () => {
  it('what another program writes into the file is seen', async (test) => {
    const fresh = await createTestDatabase('sqlite', migrations);
    test.after(() => fresh.drop());
    const { ask } = counted(await fresh.open());
    assert.equal(await ask(), 0);
    const shell = new DatabaseSync(join(fresh.dir, 'ingot.db'));
    shell.exec("insert into test_things (name, amount) values ('by hand', 1)");
    shell.close();
    while ((await ask()) === 0) await sleep(20);
  });
});
