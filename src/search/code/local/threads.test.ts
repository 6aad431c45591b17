import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createLog } from '../../../platform/log.ts';
import { CodeIndexBusy, type CodeQuery, type CorpusName, type UpdateProgress } from '../code-index.ts';
import { grep, openSources, type Source, type Sources } from '../contract/sources.ts';
import { type LocalCodeIndexOptions, openLocalCodeIndex } from './local-index.ts';
import { segmentFolder } from './store.ts';

/** More than are read without threads of their own. */
const MANY = 1_500;

describe('the threads of the local code index', () => {
  let sources: Sources;
  let source: Source;
  const folders: string[] = [];

  before(async () => {
    sources = await openSources();
    source = await sources.make('project:1');
    const file = (n: number) => `M 100644 inline dir${n % 40}/f${n}\ndata <<.\nneedle ${n}\nsame\n.\n\n`;
    const files = Array.from({ length: MANY }, (_, n) => file(n)).join('');
    const commit = `commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 0\n${files}`;
    await source.work.run(['fast-import', '--quiet'], { input: commit });
    await source.adoptHead();
  });
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
    await sources[Symbol.asyncDispose]();
  });

  const open = async (options: Partial<LocalCodeIndexOptions> = {}) => {
    const dir = await mkdtemp(join(tmpdir(), 'ingot-index-'));
    folders.push(dir);
    return { dir, index: await openLocalCodeIndex({ dir, log: createLog('silent'), ...options }) };
  };
  const query = (text: string, corpora: CorpusName[] = ['project:1']): CodeQuery => ({
    corpora,
    part: 'contents',
    pattern: { kind: 'literal', text, caseSensitive: false },
    filters: [],
    limit: 100_000,
  });

  it('read a large build side by side, and tell how far they are', async () => {
    const { index } = await open();
    const seen: UpdateProgress[] = [];
    await index.update('project:1', source.state(), { onProgress: (progress) => seen.push(progress) });
    assert.deepEqual(seen.at(-1), { what: 'files', done: MANY, total: MANY });
    assert.ok(seen.every(({ done }, n) => n === 0 || done >= seen[n - 1]!.done));
    const { hits } = await index.search(query('needle 1'));
    const found = hits.map(({ path, startLine, data }) => ({ path, startLine, data }));
    assert.deepEqual(found, await grep(source, 'needle 1'));
    await index.close();
  });

  it('leave nothing of a large build that is given up', async () => {
    const { dir, index } = await open();
    const controller = new AbortController();
    const given = new Error('given up');
    const onProgress = ({ done }: UpdateProgress) => {
      if (done > 0) controller.abort(given);
    };
    await assert.rejects(
      index.update('project:1', source.state(), { signal: controller.signal, onProgress }),
      given,
    );
    assert.deepEqual(await readdir(segmentFolder(dir)), []);
    assert.deepEqual([...index.corpora()], []);
    await index.update('project:1', source.state());
    assert.equal((await index.search(query('needle'))).hits.length, MANY);
    await index.close();
  });

  it('end a large build when the index is closed', async () => {
    const { dir, index } = await open();
    const closed = Promise.withResolvers<void>();
    const update = index.update('project:1', source.state(), {
      onProgress: () => index.close().then(closed.resolve, closed.reject),
    });
    await assert.rejects(update);
    await closed.promise;
    assert.deepEqual(await readdir(segmentFolder(dir)), []);
  });

  it('bring several corpora with the same blobs up to date at once', async () => {
    const { index } = await open();
    const corpora: CorpusName[] = ['project:1', 'project:2', 'project:3', 'wiki:1', 'wiki:2', 'wiki:3'];
    await Promise.all(corpora.map((corpus) => index.update(corpus, source.state())));
    assert.equal(index.status().blobs, MANY);
    for (const corpus of corpora)
      assert.equal((await index.search(query('needle', [corpus]))).hits.length, MANY);
    await index.remove(corpora);
    assert.equal(index.status().blobs, 0);
    await index.close();
  });

  it('turn searches away when too many wait, and serve the next one', async () => {
    const { index } = await open({ maxWaiting: 2 });
    await index.update('project:1', source.state());
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => index.search(query('needle'))));
    const busy = results.filter((result) => result.status === 'rejected');
    assert.equal(busy.length, 7); // one is served, two wait
    assert.ok(busy.every(({ reason }) => reason instanceof CodeIndexBusy));
    assert.equal((await index.search(query('needle 77'))).hits.length, 11);
    await index.close();
  });

  it('stand back for other requests once many search at a time, and not before', {
    skip: process.platform !== 'linux' && 'only Linux tells, and sets, the niceness of a thread',
  }, async () => {
    /** Of each thread of this process; it is the seventeenth word behind the name. */
    const niceness = () =>
      readdirSync('/proc/self/task').map((id) =>
        Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]!.split(' ')[16]),
      );
    const { index } = await open({ searchWorkers: 1 });
    await index.update('project:1', source.state());
    const nicer = () => niceness().filter((nice) => nice === 10).length;
    const others = nicer();
    for (let round = 0; round < 3; round++)
      await Promise.all([index.search(query('needle 1')), index.search(query('needle 2'))]);
    assert.equal(nicer(), others);
    await Promise.all(Array.from({ length: 6 }, () => index.search(query('needle 3'))));
    assert.equal(nicer(), others + 1);
    await index.close();
  });

  it('let a waiting search go when its caller does', async () => {
    const { index } = await open();
    await index.update('project:1', source.state());
    const controller = new AbortController();
    const first = index.search(query('needle'));
    const second = index.search(query('needle'), controller.signal);
    const gone = new Error('gone');
    controller.abort(gone);
    await assert.rejects(second, gone);
    assert.equal((await first).hits.length, MANY);
    await index.close();
  });

  it('end when they have nothing to do, and come back', async () => {
    const { index } = await open({ idleMs: 1 });
    for (let round = 0; round < 3; round++) {
      await index.update('project:1', source.state());
      assert.equal((await index.search(query('needle'))).hits.length, MANY);
      await wait(60);
      await index.remove(['project:1']);
    }
    await index.close();
  });

  it('search one state of the index each, while others are written', async () => {
    const { index } = await open({ searchWorkers: 2, largeBytes: 0, helpAfterMs: 0 });
    const changing = await sources.make('project:2');
    const save = async (text: string) => {
      await changing.save({ 'logo.bin': Buffer.from(`\0${text}`), 'a.txt': text, 'b.txt': text });
      await index.update('project:2', changing.state());
    };
    await save('needle first');
    let isOver = false;
    const ask = async () => {
      for (let count = 0; ; count++) {
        // Of a file without lines the first bytes are read from the database, in the middle of the search.
        const names = await index.search({ ...query('logo', ['project:2']), part: 'names' });
        assert.deepEqual(
          names.hits.map(({ path }) => path),
          ['logo.bin'],
        );
        const { hits } = await index.search(query('needle', ['project:2']));
        assert.deepEqual(
          hits.map(({ path }) => path),
          ['a.txt', 'b.txt'],
        );
        assert.equal(hits[0]!.data, hits[1]!.data);
        if (isOver) return count;
      }
    };
    const asking = [ask(), ask(), ask()];
    for (let n = 0; n < 30; n++) await save(`needle ${n}`);
    isOver = true;
    for (const count of await Promise.all(asking)) assert.ok(count > 0);
    const { hits } = await index.search(query('needle', ['project:2']));
    assert.ok(hits.every(({ data }) => data === 'needle 29\n'));
    await index.close();
  });

  it('tell once when they are ready for a large index, after its build and after a start', async () => {
    const told: CorpusName[][] = [];
    const awake = Promise.withResolvers<void>();
    const onAwake = (corpora: readonly CorpusName[]) => {
      told.push([...corpora]);
      awake.resolve();
    };
    const { dir, index } = await open({ largeBytes: 0, onAwake });
    await index.update('project:1', source.state());
    await awake.promise;
    await index.update('project:2', source.state());
    await index.search(query('needle'));
    await index.close();
    assert.equal(told.length, 1);

    const again = Promise.withResolvers<readonly CorpusName[]>();
    const log = createLog('silent');
    const reopened = await openLocalCodeIndex({ dir, log, largeBytes: 0, onAwake: again.resolve });
    assert.deepEqual(await again.promise, ['project:1', 'project:2']);
    await reopened.close();
    const small = await openLocalCodeIndex({ dir, log, onAwake: () => assert.fail('it is small') });
    assert.equal((await small.search(query('needle', ['project:2']))).hits.length, MANY);
    await small.close();
  });

  it('refuse work after the end', async () => {
    const { index } = await open();
    await index.close();
    await index.close();
    await assert.rejects(index.search(query('needle')));
    await assert.rejects(index.update('project:1', source.state()));
  });

  it('do not keep a process alive that forgot to close', async () => {
    const { dir } = await open();
    const { repository, commit } = source.state();
    const script = `
      import { openLocalCodeIndex } from ${JSON.stringify(new URL('./local-index.ts', import.meta.url).href)};
      import { createLog } from ${JSON.stringify(new URL('../../../platform/log.ts', import.meta.url).href)};
      const index = await openLocalCodeIndex({ dir: ${JSON.stringify(dir)}, log: createLog('silent') });
      await index.update('project:1', ${JSON.stringify({ repository, commit })});
      const { hits } = await index.search(${JSON.stringify(query('needle 77'))});
      console.log(hits.length);`;
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    assert.equal(stdout, '11\n');
  });
});
