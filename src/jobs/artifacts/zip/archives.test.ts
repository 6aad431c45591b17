import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { openDiskStore } from '../../../platform/objects/disk.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { zipOf } from '../testing/upload.ts';
import { Archives } from './archives.ts';
import { BadArchive } from './zip-error.ts';

interface RawEntry {
  name: string;
  content: Buffer;
  /** What the archive says instead of the truth. */
  size?: number;
  packedSize?: number;
  sum?: number;
  flags?: number;
  method?: number;
  /** Unix type and permissions. */
  mode?: number;
}

/** A zip written by hand, lies and all. */
function rawZip(entries: RawEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, flags = 0, method = 8, mode = 0o100644, ...said } of entries) {
    const packed = method === 8 ? deflateRawSync(content) : content;
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(said.sum ?? crc32(content), 10);
    common.writeUInt32LE(said.packedSize ?? packed.length, 14);
    common.writeUInt32LE(said.size ?? content.length, 18);
    common.writeUInt16LE(path.length, 22);
    files.push(Buffer.from('504b0304', 'hex'), common, path, packed);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('504b01021403', 'hex'), common, tail, path);
    offset += 30 + path.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, list, end]);
}

describe('files out of archives', () => {
  let dir: string;
  let objects: ObjectStore;
  let archives: Archives;
  let count = 0;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ingot-zips-'));
    objects = await openDiskStore({ dir, fsync: false });
    archives = new Archives(objects);
  });
  after(() => rm(dir, { recursive: true }));

  const store = async (bytes: Buffer) => {
    const key = `zip/${++count}`;
    await objects.put(key, bytes);
    return { key, size: bytes.length };
  };
  const find = async (bytes: Buffer, path: string) => {
    const archive = await store(bytes);
    const entry = (await archives.index(archive)).find(path);
    return entry && { ...entry, read: async () => buffer(await archives.open(archive, entry)) };
  };
  const read = async (bytes: Buffer, path: string) => (await find(bytes, path))!.read();
  const content = Buffer.from('some content, again and again and again\n'.repeat(20));

  it('are the bytes that went in', async () => {
    const large = Buffer.alloc(3_000_000, 'abcdefg');
    const zip = await zipOf({ 'a/b.txt': content, empty: '', large, 'ä.txt': 'ä' });
    assert.deepEqual(await read(zip, 'a/b.txt'), content);
    assert.deepEqual(await read(zip, 'empty'), Buffer.alloc(0));
    assert.deepEqual(await read(zip, 'large'), large);
    assert.equal(String(await read(zip, 'ä.txt')), 'ä');
    assert.deepEqual(await read(rawZip([{ name: 'x', content, method: 0 }]), 'x'), content);
  });

  it('are found among many, in a list that comes in several pieces', async () => {
    const entries = Array.from({ length: 12_000 }, (_, i) => ({
      name: `folder/file-${i}.txt`,
      content: Buffer.from(String(i)),
      method: 0,
    }));
    const zip = rawZip(entries);
    assert.equal(String(await read(zip, 'folder/file-11999.txt')), '11999');
    assert.equal(await find(zip, 'folder/file-12000.txt'), null);
  });

  it('of a path that comes twice are the last', async () => {
    const zip = rawZip([
      { name: 'x', content: Buffer.from('first') },
      { name: 'x', content: Buffer.from('last') },
    ]);
    assert.equal(String(await read(zip, 'x')), 'last');
  });

  it('are not there where their names lead out of a folder', async () => {
    const names = ['../x', '/etc/passwd', 'a/../../x', 'C:/x', 'a\0b'];
    const zip = rawZip([...names, 'good'].map((name) => ({ name, content })));
    for (const name of names) assert.equal(await find(zip, name), null, name);
    assert.deepEqual(await read(zip, 'good'), content);
  });

  it('are told from folders and links', async () => {
    const zip = rawZip([
      { name: 'folder/', content: Buffer.alloc(0) },
      { name: 'link', content: Buffer.from('/etc/passwd'), mode: 0o120777 },
      { name: 'script', content, mode: 0o100755 },
    ]);
    assert.equal((await find(zip, 'folder/'))?.kind, 'directory');
    assert.equal((await find(zip, 'link'))?.kind, 'link');
    const script = await find(zip, 'script');
    assert.deepEqual([script?.kind, script?.mode], ['file', 0o755]);
  });

  const lies: [what: string, entry: Partial<RawEntry>][] = [
    ['encrypted', { flags: 1 }],
    ['packed in an unknown way', { method: 14 }],
    ['smaller than it says', { size: 5000 }],
    ['larger than it says', { size: 10 }],
    ['of another checksum', { sum: 1 }],
    ['longer than the archive', { packedSize: 100_000, size: 100_000 }],
    ['packed better than can be', { size: 4_000_000_000 }],
  ];
  for (const [what, entry] of lies) {
    it(`are refused when one is ${what}`, async () => {
      const zip = rawZip([{ name: 'x', content, ...entry }]);
      await assert.rejects(read(zip, 'x'), BadArchive);
    });
  }

  it('are refused when one would unpack to far more than it should', async () => {
    const zip = rawZip([{ name: 'bomb', content: Buffer.alloc(120 * 1024 * 1024) }]);
    await assert.rejects(read(zip, 'bomb'), /far more than it should/);
  });

  it('are refused where the archive is none, or damaged', async () => {
    const zip = rawZip([{ name: 'x', content }]);
    const noList = Buffer.from(zip);
    noList.fill(0xff, zip.length - 60, zip.length - 30);
    const noHeader = Buffer.from(zip);
    noHeader.fill(0, 0, 30);
    const damaged = Buffer.from(zip);
    damaged.fill(0xff, 32, 50);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('nonsense'),
      zip.subarray(0, -30),
      noList,
      noHeader,
      damaged,
    ]) {
      await assert.rejects(async () => {
        const found = await find(bytes, 'x');
        await found?.read();
        throw found ? new Error('it was read') : new BadArchive('not in it');
      }, BadArchive);
    }
  });
});
