import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createLog } from '../../../platform/log.ts';
import type { CodeIndex, CorpusName } from '../code-index.ts';
import { openSources, type Source, type Sources } from '../contract/sources.ts';
import { openLocalCodeIndex } from './local-index.ts';
import { chooseGroup } from './merge.ts';
import { segmentFolder } from './store.ts';

describe('merging segments', () => {
  let sources: Sources;
  let source: Source;
  let dir: string;
  let index: CodeIndex;
  let last = 0;
  const folders: string[] = [];

  before(async () => {
    sources = await openSources();
  });
  beforeEach(async () => {
    source = await sources.make(`project:${++last}`);
    dir = await mkdtemp(join(tmpdir(), 'ingot-index-'));
    folders.push(dir);
    index = await openLocalCodeIndex({ dir, log: createLog('silent') });
  });
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
    await sources[Symbol.asyncDispose]();
  });

  const push = () => index.update(source.corpus, source.state());
  const find = async (text: string, corpora: CorpusName[] = [source.corpus]) => {
    const pattern = { kind: 'literal', text, caseSensitive: false } as const;
    const query = { corpora, part: 'contents', pattern, filters: [], limit: 1000 } as const;
    return (await index.search(query)).hits.map(({ path, data }) => `${path} ${data}`);
  };
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await wait(5);
  };

  it('makes one of eight small ones, while searches go on and give the same', async () => {
    const expected: string[] = [];
    for (let n = 0; n < 8; n++) {
      await source.save({ [`f${n}`]: `needle ${n}\n`, changing: `needle changing ${n}\n` });
      await push();
      expected.push(`f${n} needle ${n}\n`);
      assert.deepEqual(await find('needle'), [`changing needle changing ${n}\n`, ...expected]);
    }
    await until(() => index.status().segments === 1);
    assert.deepEqual(await find('needle'), [`changing needle changing 7\n`, ...expected]);
    assert.deepEqual(await find('changing 3'), []);
    assert.equal((await readdir(segmentFolder(dir))).length, 1);
    await index.close();
    index = await openLocalCodeIndex({ dir, log: createLog('silent') });
    assert.deepEqual(await find('needle'), [`changing needle changing 7\n`, ...expected]);
    await index.close();
  });

  it('removes a file that nothing needs, and reads its blobs again when they come back', async () => {
    await source.save({ a: 'needle\n' });
    await push();
    await index.remove([source.corpus]);
    await until(() => index.status().segments === 0);
    assert.deepEqual(await readdir(segmentFolder(dir)), []);
    await push();
    assert.deepEqual(await find('needle'), ['a needle\n']);
    await index.close();
  });

  it('takes out a segment that proves unreadable while it is merged', async () => {
    for (let n = 0; n < 7; n++) {
      await source.save({ [`f${n}`]: `needle ${n}\n` });
      await push();
    }
    const [victim] = await readdir(segmentFolder(dir));
    await writeFile(join(segmentFolder(dir), victim!), 'x');
    await source.save({ f7: 'needle 7\n' });
    await push();
    await until(() => index.corpora().size === 0);
    await push();
    assert.equal((await find('needle')).length, 8);
    await index.close();
  });

  const state = (id: number, bytes: number, blobs = 10, dead = 0) => ({
    id,
    file: `${id}`,
    bytes,
    blobs,
    dead,
  });
  const ids = (segments: ReturnType<typeof state>[]) => chooseGroup(segments)?.map(({ id }) => id) ?? null;
  const eight = (bytes: number) => Array.from({ length: 8 }, (_, id) => state(id, bytes));

  it('takes eight of a size, the smallest size first, and leaves large ones alone', () => {
    assert.equal(ids(eight(1000).slice(1)), null);
    assert.deepEqual(ids([...eight(1000), state(8, 1000)]), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual(
      ids([...eight(5_000_000).map((each) => ({ ...each, id: each.id + 10 })), ...eight(10)]),
      [0, 1, 2, 3, 4, 5, 6, 7],
    );
    assert.equal(ids(eight(40_000_000)), null);
  });

  it('takes a large one alone when most of it is dead, a small one only when all of it is', () => {
    assert.deepEqual(ids([state(1, 40_000_000, 10, 6)]), [1]);
    assert.equal(ids([state(1, 40_000_000, 10, 5)]), null);
    assert.equal(ids([state(1, 1000, 10, 9)]), null);
    assert.deepEqual(ids([state(1, 1000, 10, 10)]), [1]);
  });
});
