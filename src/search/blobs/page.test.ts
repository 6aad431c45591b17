import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CodeHit } from '../code/code-index.ts';
import { pageOfHits, type Wanted } from './page.ts';
import { inPages } from './wiki-pages.ts';

const hit = (path: string): CodeHit => ({ corpus: 'project:1', path, blob: '', startLine: 1, data: '' });

/** A place in which so many hits are to be found. */
function source(names: number, contents: number) {
  const asked: string[] = [];
  const search = async (part: 'names' | 'contents', { limit, shown }: Wanted) => {
    asked.push(`${part} ${limit}, ${shown} shown`);
    const found = Math.min(part === 'names' ? names : contents, limit);
    const hits = Array.from({ length: Math.min(found, shown) }, (_, at) => hit(`${part[0]}${at}`));
    return { hits, found, truncated: found >= limit, skipped: 0 };
  };
  return { asked, search };
}

const pageAt = (page: number, perPage: number) => ({ page, perPage, offset: (page - 1) * perPage });
const pathsOf = ({ hits }: Awaited<ReturnType<typeof pageOfHits>>) => hits.map((found) => found.path);

describe('a page of hits', () => {
  it('has names first, then contents', async () => {
    const { search } = source(2, 5);
    const page = await pageOfHits({ page: pageAt(1, 4), counted: true, filtered: false }, search);
    assert.deepEqual(pathsOf(page), ['n0', 'n1', 'c0', 'c1']);
    assert.deepEqual(page.facts, { total: 7 });
    const second = await pageOfHits({ page: pageAt(2, 4), counted: true, filtered: false }, search);
    assert.deepEqual(pathsOf(second), ['c2', 'c3', 'c4']);
    const beyond = await pageOfHits({ page: pageAt(9, 4), counted: true, filtered: false }, search);
    assert.deepEqual(pathsOf(beyond), []);
  });

  it('takes contents that came with the names', async () => {
    const { asked, search } = source(2, 5);
    const together = async (part: 'names' | 'contents', wanted: Wanted) => {
      const names = await search(part, wanted);
      return wanted.contents ? { ...names, contents: await search('contents', wanted.contents) } : names;
    };
    for (const counted of [true, false]) {
      const rules = { page: pageAt(1, 4), counted, filtered: false };
      const page = await pageOfHits(rules, together);
      assert.deepEqual(page, await pageOfHits(rules, source(2, 5).search));
    }
    assert.deepEqual(asked, [
      'names 100, 4 shown',
      'contents 100, 4 shown',
      'names 5, 4 shown',
      'contents 5, 4 shown',
    ]);
  });

  it('counts as GitLab does: a hundred stretches, and those of the pages before', async () => {
    const { search } = source(3, 1000);
    const first = await pageOfHits({ page: pageAt(1, 20), counted: true, filtered: false }, search);
    assert.deepEqual(first.facts, { total: 103 });
    const third = await pageOfHits({ page: pageAt(3, 20), counted: true, filtered: false }, search);
    assert.deepEqual(third.facts, { total: 143 });
  });

  it('tells of a next page where a page takes all that GitLab looks for', async () => {
    const { search } = source(0, 1000);
    const page = await pageOfHits({ page: pageAt(1, 100), counted: true, filtered: false }, search);
    assert.deepEqual([page.hits.length, page.facts], [100, { total: 101 }]);
  });

  it('counts all where filters narrow the search, as long as that is not too many', async () => {
    const rules = { page: pageAt(1, 20), counted: true, filtered: true };
    assert.deepEqual((await pageOfHits(rules, source(0, 99).search)).facts, { total: 99 });
    assert.deepEqual((await pageOfHits(rules, source(0, 5000).search)).facts, { hasNext: true });
    assert.deepEqual((await pageOfHits(rules, source(5000, 1).search)).facts, { hasNext: true });
    const last = { ...rules, page: pageAt(250, 20) };
    assert.deepEqual((await pageOfHits(last, source(5000, 1).search)).facts, { total: 5001 });
  });

  it('looks for no more than the page needs where nothing is counted', async () => {
    const { asked, search } = source(1, 50);
    const page = await pageOfHits({ page: pageAt(1, 20), counted: false, filtered: false }, search);
    assert.equal(page.hits.length, 20);
    assert.deepEqual(page.facts, { hasNext: true });
    assert.deepEqual(asked, ['names 21, 20 shown', 'contents 20, 19 shown']);
    const full = source(30, 50);
    const names = await pageOfHits({ page: pageAt(1, 20), counted: false, filtered: false }, full.search);
    assert.deepEqual([names.hits.length, names.facts], [20, { hasNext: true }]);
    assert.deepEqual(full.asked, ['names 21, 20 shown']);
  });

  it('has no next one when the last hit is on it', async () => {
    const { search } = source(0, 20);
    const page = await pageOfHits({ page: pageAt(1, 20), counted: false, filtered: false }, search);
    assert.deepEqual([page.hits.length, page.facts], [20, { hasNext: false }]);
  });
});

describe('hits in a wiki', () => {
  it('are those in pages, however many attachments come between', async () => {
    const paths = Array.from({ length: 300 }, (_, at) =>
      at % 50 === 49 ? `p${at}.md` : `uploads/${at}.png`,
    );
    const search = async (limit: number) => ({
      hits: paths.slice(0, limit).map(hit),
      found: Math.min(paths.length, limit),
      truncated: paths.length >= limit,
      skipped: 0,
    });
    const some = await inPages({ limit: 4, shown: 4 }, search);
    assert.deepEqual(
      some.hits.map(({ path }) => path),
      ['p49.md', 'p99.md', 'p149.md', 'p199.md'],
    );
    assert.equal(some.truncated, true);
    const all = await inPages({ limit: 100, shown: 2 }, search);
    assert.deepEqual([all.hits.length, all.found, all.truncated], [2, 6, false]);
  });
});
