import assert from 'node:assert/strict';
import { access, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { runObjectStoreContract } from './contract.ts';
import { openDiskStore } from './disk.ts';

const makeDir = () => mkdtemp(join(tmpdir(), 'ingot-objects-'));

for (const fsync of [true, false]) {
  runObjectStoreContract({
    name: `disk, fsync ${fsync}`,
    async make() {
      const dir = await makeDir();
      const store = await openDiskStore({ dir, fsync });
      return { store, remove: () => rm(dir, { recursive: true }) };
    },
  });
}

describe('objects on disk', () => {
  let dir: string;
  before(async () => {
    dir = await makeDir();
  });
  after(() => rm(dir, { recursive: true }));

  it('sweeps at its start what a killed process was writing, and nothing else', async () => {
    const first = await openDiskStore({ dir, fsync: false });
    await first.put('kept/object', Buffer.from('x'));
    await writeFile(join(dir, '.tmp', 'left-over'), 'x');
    const second = await openDiskStore({ dir, fsync: false });
    assert.deepEqual(await readdir(join(dir, '.tmp')), []);
    assert.equal((await second.head('kept/object'))?.size, 1);
  });

  it('leaves alone what another process writes just now, where the folder is shared', async () => {
    await openDiskStore({ dir, fsync: false, shared: true });
    const [young, old] = [join(dir, '.tmp', 'young'), join(dir, '.tmp', 'old')];
    for (const path of [young, old]) await writeFile(path, 'x');
    const longAgo = new Date(Date.now() - 2 * 3600_000);
    await utimes(old, longAgo, longAgo);
    await openDiskStore({ dir, fsync: false, shared: true });
    assert.deepEqual(await readdir(join(dir, '.tmp')), ['young']);
    await rm(young);
  });

  it('leaves no temporary file behind a failed write', async () => {
    const store = await openDiskStore({ dir, fsync: false });
    const failing = new Readable({ read: () => failing.destroy(new Error('gone')) });
    await assert.rejects(store.put('never', failing), /gone/);
    assert.deepEqual(await readdir(join(dir, '.tmp')), []);
  });

  it('leaves no empty folders behind the last object of one', async () => {
    const store = await openDiskStore({ dir, fsync: true });
    await store.put('jobs/1/trace', Buffer.from('x'));
    await store.put('jobs/2/trace', Buffer.from('x'));
    await store.delete('jobs/1/trace');
    assert.deepEqual(await readdir(join(dir, 'jobs')), ['2']);
    await store.delete('jobs/2/trace');
    await assert.rejects(access(join(dir, 'jobs')), { code: 'ENOENT' });
  });
});
