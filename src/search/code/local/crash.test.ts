import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import { type CodeIndex, CorpusLost, type CorpusName } from '../code-index.ts';
import { grep, openSources, type Source, type Sources } from '../contract/sources.ts';
import { openLocalCodeIndex } from './local-index.ts';
import { segmentFolder } from './store.ts';

const CORPUS: CorpusName = 'project:1';
const WORDS = ['alpha', 'a', 'Äpfel', ').', 'nowhere'];

describe('the local code index after an accident', () => {
  let sources: Sources;
  let source: Source;
  let repository: string;
  const commits: string[] = [];
  const folders: string[] = [];

  before(async () => {
    sources = await openSources();
    source = await sources.make(CORPUS);
    for (let round = 0; round < 24; round++) {
      await source.saveRandom(Math.random);
      commits.push(source.state().commit);
    }
    ({ repository } = source.state());
  });
  after(async () => {
    await sources[Symbol.asyncDispose]();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  const newFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ingot-index-'));
    folders.push(folder);
    return folder;
  };
  const open = (dir: string) => openLocalCodeIndex({ dir, log: createLog('silent') });
  const search = async (index: CodeIndex, corpus: CorpusName, text: string) => {
    const pattern = { kind: 'literal', text, caseSensitive: false } as const;
    const query = { corpora: [corpus], part: 'contents', pattern, filters: [], limit: 100_000 } as const;
    const { hits } = await index.search(query);
    return hits.map(({ path, startLine, data }) => ({ path, startLine, data }));
  };
  /** That the index answers as git does for the commit which it says it holds. */
  const assertRight = async (index: CodeIndex) => {
    for (const [corpus, commit] of index.corpora())
      for (const text of WORDS) {
        const expected = await grep({ work: source.work, state: () => ({ repository, commit }) }, text);
        assert.deepEqual(await search(index, corpus, text), expected, `${corpus} ${text}`);
      }
  };
  /** A folder with an index that has a few segments. */
  const indexed = async () => {
    const dir = await newFolder();
    const index = await open(dir);
    for (const commit of commits.slice(0, 3)) await index.update(CORPUS, { repository, commit });
    await index.close();
    return dir;
  };
  const segmentFiles = async (dir: string) =>
    (await readdir(segmentFolder(dir))).map((file) => join(segmentFolder(dir), file));

  it('holds what was acknowledged, and no half of anything, when it is killed at any moment', async () => {
    const dir = await newFolder();
    for (let round = 0; round < 6; round++) {
      const acknowledged = await killSoon(spawnChild(dir, repository, commits), 100 + Math.random() * 700);
      const index = await open(dir);
      const held = index.corpora().get(CORPUS);
      const before = acknowledged.at(-1);
      if (before !== undefined) {
        const next = commits[(commits.indexOf(before) + 1) % commits.length];
        assert.ok(held === before || held === next, `${held} after ${before}`);
      }
      await assertRight(index);
      assert.equal((await segmentFiles(dir)).length, index.status().segments);
      await index.close();
    }
  });

  it('drops corpora whose segment is missing or cut, and indexes them again', async () => {
    for (const damage of [unlink, (file: string) => truncate(file, 100)]) {
      const dir = await indexed();
      await damage((await segmentFiles(dir))[0]!);
      const index = await open(dir);
      assert.deepEqual([...index.corpora()], []);
      assert.deepEqual(await search(index, CORPUS, 'alpha'), []);
      await index.update(CORPUS, { repository, commit: commits[2]! });
      await assertRight(index);
      await index.close();
    }
  });

  it('takes out a segment that proves unreadable while it is searched, rather than answer wrongly', async () => {
    const dir = await indexed();
    const index = await open(dir);
    for (const file of await segmentFiles(dir)) await scramble(file);
    await assert.rejects(search(index, CORPUS, 'alpha'), CorpusLost);
    assert.deepEqual([...index.corpora()], []);
    assert.deepEqual(await search(index, CORPUS, 'alpha'), []);
    await index.update(CORPUS, { repository, commit: commits[2]! });
    await assertRight(index);
    await index.close();
  });

  it('starts empty when the database is of another format or cannot be read', async () => {
    for (const damage of [(file: string) => writeFile(file, 'not a database '.repeat(100)), otherFormat]) {
      const dir = await indexed();
      await damage(join(dir, 'index.db'));
      const index = await open(dir);
      assert.deepEqual([...index.corpora()], []);
      assert.deepEqual(await segmentFiles(dir), []);
      await index.update(CORPUS, { repository, commit: commits[0]! });
      await assertRight(index);
      await index.close();
    }
  });

  it('clears away what a killed build or merge left', async () => {
    const dir = await indexed();
    const stray = join(segmentFolder(dir), 'stray.v1.segment.tmp');
    await writeFile(stray, 'half');
    const index = await open(dir);
    assert.equal((await segmentFiles(dir)).includes(stray), false);
    await assertRight(index);
    await index.close();
  });
});

function spawnChild(dir: string, repository: string, commits: readonly string[]): ChildProcess {
  const file = new URL('./crash-child.ts', import.meta.url).pathname;
  return spawn(process.execPath, [file, dir, repository, ...commits], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Kills the process some time after its first word. Gives everything it said. */
async function killSoon(child: ChildProcess, afterMs: number): Promise<string[]> {
  let said = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    if (said === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
    said += text;
  });
  await once(child, 'close');
  return said.split('\n').filter((line) => line !== '');
}

/** Overwrites a file in place with as many other bytes. */
async function scramble(file: string): Promise<void> {
  const { size } = await stat(file);
  await writeFile(file, Buffer.alloc(size, 'x'), { flag: 'r+' });
}

function otherFormat(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('pragma user_version = 4711');
  database.close();
}
