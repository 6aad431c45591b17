import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { isAlive, nodeIdentity, tryLeader, withLock } from './locks.ts';

forEachDatabase((kind, _open, create) => {
  /** As many processes as the database allows, each with a connection of its own. */
  const openProcesses = async () => {
    const test = await create([]);
    const first = await test.open();
    return [first, kind === 'postgres' ? await test.open() : first] as const;
  };

  it('locks one name at a time, whoever asks, and different names side by side', async () => {
    const [first, second] = await openProcesses();
    const inside = new Map<string, number>();
    const visits: string[] = [];
    const visit = (name: string) => async () => {
      inside.set(name, (inside.get(name) ?? 0) + 1);
      assert.equal(inside.get(name), 1, `alone in ${name}`);
      await sleep(2);
      visits.push(name);
      inside.set(name, 0);
    };
    await Promise.all(
      [first, second, first, second].flatMap((database) => [
        withLock(database, 'a', visit('a')),
        withLock(database, 'b', visit('b')),
      ]),
    );
    assert.equal(visits.length, 8);
    await withLock(first, 'outer', () => withLock(first, 'inner', async () => {}));
  });

  it('frees the lock when the work fails', async () => {
    const [first, second] = await openProcesses();
    const fails = withLock(first, 'a', async () => {
      throw new Error('no');
    });
    await assert.rejects(fails, /no/);
    assert.equal(await withLock(second, 'a', async () => 'works'), 'works');
  });

  it('has one leader of a name, until it steps down', async () => {
    const [first, second] = await openProcesses();
    const leadership = await tryLeader(first, 'a');
    assert.ok(leadership);
    assert.equal(await tryLeader(second, 'a'), null);
    assert.equal(await tryLeader(first, 'a'), null);
    assert.ok(await tryLeader(second, 'b'));
    await leadership.release();
    assert.ok(await tryLeader(second, 'a'));
  });

  it('knows which processes run', async () => {
    const [first, second] = await openProcesses();
    const owner = nodeIdentity(second);
    assert.equal(await isAlive(first, nodeIdentity(first)), true);
    assert.equal(await isAlive(first, owner), true);
    assert.equal(await isAlive(first, owner === 12_345 ? 12_346 : 12_345), false);
    if (kind === 'postgres') {
      await second.close();
      while (await isAlive(first, owner)) await sleep(5);
    }
  });

  if (kind === 'postgres') {
    it('says so when its session is lost, and comes back under the same number', async () => {
      const [first, second] = await openProcesses();
      const leadership = await tryLeader(first, 'a');
      assert.ok(leadership);
      await sql`select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and objsubid = 2 and objid = ${nodeIdentity(first)}`.execute(second.db);
      while (!leadership.lost.aborted) await sleep(5);
      assert.ok(await tryLeader(second, 'a'), 'another may lead');
      while (!(await isAlive(second, nodeIdentity(first)))) await sleep(20);
      assert.equal(await tryLeader(first, 'a'), null);
      assert.equal(await withLock(first, 'b', async () => 'works'), 'works');
    });
  }
});
