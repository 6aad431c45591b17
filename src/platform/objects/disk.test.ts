import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
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

  it('leaves no empty folders behind a great many, and says which it could not remove', async () => {
    const store = await openDiskStore({ dir, fsync: true });
    const keys = Array.from({ length: 40 }, (_, n) => `great/${n % 4}/${n}`);
    for (const key of keys) await store.put(key, Buffer.from('x'));
    await symlink('loop', join(dir, 'great', 'loop'));
    const left = await store.deleteMany([...keys, 'great/loop/1']);
    assert.deepEqual([...left.keys()], ['great/loop/1']);
    assert.match(String(left.get('great/loop/1')), /ELOOP/);
    assert.deepEqual(await readdir(join(dir, 'great')), ['loop']);
    await rm(join(dir, 'great', 'loop'));
    await mkdir(join(dir, 'great', '0'));
    await store.deleteMany(keys);
    await assert.rejects(
      access(join(dir, 'great')),
      { code: 'ENOENT' },
      'also where a killed process had left it',
    );
  });

  it('gives back the memory of chunks that are its own, and of no others', async () => {
    const store = await openDiskStore({ dir, fsync: false });
    const whole = Buffer.alloc(100_000, 'a');
    const around = Buffer.alloc(100_000, 'b');
    const chunks = () => [whole, around.subarray(0, 99_999)];
    await store.put('kept/chunks', Readable.from(chunks()));
    assert.equal(whole.length, 100_000);
    const stored = await store.put('kept/chunks', Readable.from(chunks()), { ownsChunks: true });
    assert.equal(stored.size, 199_999);
    assert.deepEqual([whole.length, around.length], [0, 100_000]);
    const text = String(await buffer(await store.get('kept/chunks')));
    assert.equal(text, 'a'.repeat(100_000) + 'b'.repeat(99_999));
  });

  it('refuses what the disk has no room for, also where that shows in the middle of a write', async () => {
    const script = `
      const { openDiskStore } = await import(process.env.STORE);
      process.on('SIGXFSZ', () => {});
      const store = await openDiskStore({ dir: process.env.DIR, fsync: false });
      const chunks = Array.from({ length: 4 }, () => Buffer.alloc(300_000));
      const refusal = await store.put('large', (await import('node:stream')).Readable.from(chunks)).catch(({ code }) => code);
      console.log(refusal);`;
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-c', 'ulimit -f 512 && exec "$0" --input-type=module -e "$1"', process.execPath, script],
      { env: { ...process.env, DIR: dir, STORE: new URL('./disk.ts', import.meta.url).href } },
    );
    assert.equal(stdout, 'EFBIG\n');
    assert.deepEqual(await readdir(join(dir, '.tmp')), []);
  });
});
