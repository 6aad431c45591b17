import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GitTimeout } from '../../git/process.ts';
import { openTestGit, type TestGit, type WorkTree } from '../../git/testing.ts';
import { createLog } from '../../platform/log.ts';
import { Metrics } from '../../platform/metrics.ts';
import { type CodeIndex, CodeIndexBusy, type CorpusName, InvalidPattern } from './code-index.ts';
import { CodeSearch, type CodeSearchOptions, type Place } from './code-search.ts';
import { tipOf } from './corpora.ts';
import { GitSearch } from './git/git-search.ts';
import { openLocalCodeIndex } from './local/local-index.ts';

const COUNT = 4;
const pattern = { kind: 'literal', text: 'needle', caseSensitive: false } as const;

describe('a code search over several projects', () => {
  const log = createLog('silent');
  let test: TestGit;
  let works: WorkTree[];
  let places: Place[];
  let git: GitSearch;
  let index: CodeIndex;
  /** How many places git was asked about. */
  let asked: string[];

  before(async () => {
    test = await openTestGit();
    works = await Promise.all(Array.from({ length: COUNT }, () => test.workTree()));
    places = [];
    for (const [at, work] of works.entries()) {
      await work.save({ 'a.txt': `needle ${at}\n`, 'b.txt': `needle ${at}\n` });
      places.push({ name: `project:${at}`, repository: await test.import(work), branch: 'main' });
    }
    index = await openLocalCodeIndex({ dir: `${test.folder}/index`, log });
    for (const place of places) await update(place);
    git = new GitSearch(log);
  });
  after(async () => {
    await git.close();
    await index.close();
    await test[Symbol.asyncDispose]();
  });

  const update = async (place: Place) =>
    index.update(place.name, { repository: place.repository.path, commit: (await tipOf(place))! });

  function open(overrides: Partial<CodeSearchOptions> = {}): CodeSearch {
    asked = [];
    const watched = {
      search: (...call: Parameters<GitSearch['search']>) => {
        asked.push(call[0].place.name);
        return git.search(...call);
      },
    } as GitSearch;
    return new CodeSearch({
      index: async () => index,
      isSettled: () => true,
      git: watched,
      log,
      metrics: new Metrics(),
      ...overrides,
    });
  }

  const find = async (search: CodeSearch, over = places, limit = 100) => {
    const answer = await search.search({ places: over, part: 'contents', pattern, filters: [], limit });
    return { ...answer, hits: answer.hits.map(({ corpus, path }) => `${corpus}/${path}`) };
  };
  const both = (...numbers: number[]) =>
    numbers.flatMap((at) => [`project:${at}/a.txt`, `project:${at}/b.txt`]);

  /** The index as it is, but that it does not know some corpora. */
  const without = (...hidden: CorpusName[]): CodeIndex => {
    const known = (name: CorpusName) => !hidden.includes(name);
    return {
      ...index,
      commits: (names) => index.commits(names.filter(known)),
      search: (query, signal) => index.search({ ...query, corpora: query.corpora.filter(known) }, signal),
    } as CodeIndex;
  };

  it('asks the index alone where it holds everything, in the order of the places', async () => {
    const search = open();
    assert.deepEqual(await find(search), { hits: both(0, 1, 2, 3), found: 8, truncated: false, skipped: 0 });
    assert.deepEqual((await find(search, places.toReversed())).hits, both(3, 2, 1, 0));
    assert.deepEqual(asked, []);
  });

  it('puts what git finds where it belongs', async () => {
    const search = open({ index: async () => without('project:0', 'project:2') });
    assert.deepEqual(await find(search), { hits: both(0, 1, 2, 3), found: 8, truncated: false, skipped: 0 });
    assert.deepEqual(asked, ['project:0', 'project:2']);
    assert.deepEqual(await find(search, places, 3), {
      hits: both(0, 1).slice(0, 3),
      found: 3,
      truncated: true,
      skipped: 0,
    });
  });

  it('gives only those that are shown, and counts the others', async () => {
    for (const index of [async () => without(), async () => without('project:0', 'project:2'), null]) {
      const query = { places, part: 'contents', pattern, filters: [], limit: 100, shown: 3 } as const;
      const { hits, found, truncated } = await open({ index }).search(query);
      const given = hits.map(({ corpus, path }) => `${corpus}/${path}`);
      assert.deepEqual([given, found, truncated], [both(0, 1).slice(0, 3), 8, false]);
    }
  });

  it('gives contents with the names where the index alone is asked, and leaves them out where git is', async () => {
    const contents = { limit: 5, shown: 3 };
    const query = { places, part: 'names', pattern, filters: [], limit: 100, contents } as const;
    const { contents: found, ...names } = await open().search(query);
    assert.deepEqual(names, { hits: [], found: 0, truncated: false, skipped: 0 });
    assert.deepEqual(
      found,
      await open().search({ ...query, ...contents, part: 'contents', contents: undefined }),
    );
    assert.equal(found?.truncated, true);
    for (const index of [async () => without('project:2'), null])
      assert.deepEqual(await open({ index }).search(query), names);
  });

  it('does not ask git for more than is wanted', async () => {
    const search = open({ index: async () => without('project:2', 'project:3') });
    assert.equal((await find(search, places, 4)).hits.length, 4);
    assert.deepEqual(asked, []);
  });

  it('sees a push before the index does', async () => {
    await works[1]!.save({ 'c.txt': 'a new needle\n' });
    await places[1]!.repository.importFrom(works[1]!.path);
    const { hits } = await find(open());
    assert.deepEqual(hits, [...both(0, 1), 'project:1/c.txt', ...both(2, 3)]);
    assert.deepEqual(asked, ['project:1']);
    await update(places[1]!);
    assert.deepEqual((await find(open())).hits, hits);
    assert.deepEqual(asked, []);
  });

  it('searches all by git where there is no index, or it fails', async () => {
    const broken = {
      ...without(),
      search: () => Promise.reject(new Error('a bad disk')),
    } as unknown as CodeIndex;
    for (const index of [null, async () => broken, () => Promise.reject(new Error('a full disk'))]) {
      const { hits, skipped } = await find(open({ index }));
      assert.deepEqual([hits.length, skipped, asked.length], [9, 0, COUNT]);
    }
    assert.equal(open({ index: null }).enabled, false);
  });

  it('says how many it left out when git has no more time', async () => {
    const search = open({ index: null, togetherMs: 0 });
    assert.deepEqual(await find(search), { hits: [], found: 0, truncated: false, skipped: COUNT });
    const alone = open({ index: null, aloneMs: 0 });
    await assert.rejects(find(alone, places.slice(0, 1)), GitTimeout);
  });

  it('finds nothing in places that are empty or gone', async () => {
    const empty = { name: 'project:77', repository: await test.empty(), branch: 'main' } as const;
    const gone = { name: 'project:78', repository: test.git.repository('gone.git'), branch: null } as const;
    for (const index of [async () => without(), null]) {
      assert.deepEqual((await find(open({ index }), [empty, gone])).hits, []);
    }
    const commit = '1'.repeat(40);
    assert.deepEqual((await find(open(), [{ ...gone, commit }])).hits, []);
  });

  it('passes on what the caller must know', async () => {
    for (const error of [new InvalidPattern('no'), new CodeIndexBusy()]) {
      const failing = { ...without(), search: () => Promise.reject(error) } as unknown as CodeIndex;
      await assert.rejects(find(open({ index: async () => failing })), error);
    }
    const bad = { kind: 'regex', source: '(', caseSensitive: false } as const;
    const query = { places, part: 'contents', pattern: bad, filters: [], limit: 1 } as const;
    await assert.rejects(open({ index: null }).search(query), InvalidPattern);
    const gone = AbortSignal.abort(new Error('the client has gone'));
    await assert.rejects(open({ index: null }).search({ ...query, pattern }, gone), /the client has gone/);
  });
});
