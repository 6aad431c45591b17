import assert from 'node:assert/strict';
import type { CodeQuery, CorpusName } from '../code-index.ts';
import { InvalidPattern } from '../code-index.ts';
import type { Holds, IndexUnderTest } from './kit.ts';

/** What a search in lines of files gives. */
export function contentsContract(holds: Holds, on: IndexUnderTest): void {
  holds('shows each line that matches with two lines before and after', async () => {
    const { corpus } = await on.indexed({
      'a.txt': 'one\ntwo\nthree\nfour\nNeedle five\nsix\nseven\neight\n',
    });
    const { hits, truncated } = await on.ask('needle', [corpus]);
    assert.deepEqual(
      hits.map(({ path, startLine, data }) => ({ path, startLine, data })),
      [{ path: 'a.txt', startLine: 3, data: 'three\nfour\nNeedle five\nsix\nseven\n' }],
    );
    assert.equal(truncated, false);
  });

  holds('clips the context at both ends, ends the last line, keeps carriage returns', async () => {
    const { corpus } = await on.indexed({ 'a.txt': 'needle\r\nx\r\ny\r\nz', 'b.txt': 'x\ny\nz\nneedle' });
    const { hits } = await on.ask('needle', [corpus]);
    assert.deepEqual(
      hits.map(({ startLine, data }) => [startLine, data]),
      [
        [1, 'needle\r\nx\r\ny\r\n'],
        [2, 'y\nz\nneedle\n'],
      ],
    );
  });

  holds('makes one stretch of windows that touch, two of those that do not', async () => {
    const lines = (...at: number[]) =>
      Array.from({ length: 20 }, (_, i) => (at.includes(i + 1) ? 'needle' : `line ${i + 1}`)).join('\n');
    const { corpus } = await on.indexed({ near: lines(5, 10), far: lines(5, 11) });
    assert.deepEqual(await on.places('needle', [corpus]), ['far:3', 'far:9', 'near:3']);
  });

  holds('tells the object id of the blob', async () => {
    const source = await on.indexed({ 'a.txt': 'needle\n' });
    const { hits } = await on.ask('needle', [source.corpus]);
    assert.equal(hits[0]?.blob, await source.work.git('rev-parse', 'HEAD:a.txt'));
    assert.equal(hits[0]?.corpus, source.corpus);
  });

  holds('answers by corpus as asked for, then by the bytes of the path, then by line', async () => {
    const two = `needle\n${'x\n'.repeat(9)}needle\n`;
    const files = { 'b/a': 'needle\n', 'b-a': 'needle\n', b0: 'needle\n', Z: two, é: 'needle\n' };
    const first = await on.indexed(files);
    const second = await on.indexed({ only: 'needle\n' });
    const expected = ['Z:1', 'Z:9', 'b-a:1', 'b/a:1', 'b0:1', 'é:1'];
    assert.deepEqual(await on.places('needle', [first.corpus, second.corpus]), [...expected, 'only:1']);
    assert.deepEqual(await on.places('needle', [second.corpus, first.corpus]), ['only:1', ...expected]);
  });

  holds('finds a rare word in many corpora with the same files', async () => {
    const source = await on.newSource();
    const filler = Array.from({ length: 150 }, (_, n) => [`filler/${n}`, `text ${n}\n`]);
    await source.save({ ...Object.fromEntries(filler), rare: 'the needle\n' });
    const forks = Array.from({ length: 60 }, (_, n): CorpusName => `project:${10_000 + n}`);
    for (const fork of forks) await on.index.update(fork, source.state());
    for (const asked of [forks.toReversed(), forks.slice(20, 30)]) {
      const { hits } = await on.ask('needle', asked);
      assert.deepEqual(
        hits.map(({ corpus }) => corpus),
        asked,
      );
    }
    await on.index.remove(forks);
  });

  holds('counts what is not to be shown', async () => {
    const lines = `needle\n${'x\n'.repeat(9)}`.repeat(3);
    const { corpus } = await on.indexed({ 'needle-a': lines, 'needle-b': lines, c: lines });
    for (const part of ['contents', 'names'] as const) {
      const all = await on.ask('needle', [corpus], { part });
      assert.equal(all.found, all.hits.length);
      for (const limit of [1, 2, 5, 100]) {
        for (const shown of [0, 1, 4, 200]) {
          const { hits, found } = await on.ask('needle', [corpus], { part, limit, shown });
          assert.equal(found, Math.min(limit, all.found));
          assert.deepEqual(hits, all.hits.slice(0, Math.min(limit, shown)));
        }
      }
    }
  });

  holds('ends at the limit and says so', async () => {
    const { corpus } = await on.indexed({ a: `needle\n${'x\n'.repeat(9)}needle\n`, b: 'needle\n' });
    for (const limit of [1, 2, 3]) {
      const answer = await on.ask('needle', [corpus], { limit });
      assert.equal(answer.hits.length, limit);
      assert.equal(answer.truncated, true);
    }
    assert.equal((await on.ask('needle', [corpus], { limit: 4 })).truncated, false);
    assert.equal((await on.ask('needle', [corpus], { limit: 4 })).found, 3);
    assert.equal((await on.ask('b', [corpus], { part: 'names', limit: 1 })).truncated, true);
  });

  holds('gives names and contents at once as it gives them one by one', async () => {
    const { corpus } = await on.indexed({
      'needle.c': 'a needle\n',
      'needle.h': 'none\n',
      'other.c': `needle\n${'x\n'.repeat(9)}needle\n`,
    });
    for (const limit of [1, 2, 3, 4]) {
      for (const contents of [
        { limit: 1, shown: 1 },
        { limit: 2, shown: 0 },
        { limit: 10, shown: 2 },
      ]) {
        const { contents: found, ...names } = await on.ask('needle', [corpus], {
          part: 'names',
          limit,
          contents,
        });
        assert.deepEqual(names, await on.ask('needle', [corpus], { part: 'names', limit }));
        const alone = await on.ask('needle', [corpus], contents);
        assert.deepEqual(found, names.truncated ? undefined : alone);
      }
    }
  });

  holds('minds the case when asked to', async () => {
    const { corpus } = await on.indexed({ a: 'Needle\n', b: 'needle\n' });
    const exact = (text: string, part: CodeQuery['part']) =>
      on.ask(text, [corpus], { part, pattern: { kind: 'literal', text, caseSensitive: true } });
    assert.deepEqual(
      (await exact('Needle', 'contents')).hits.map(({ path }) => path),
      ['a'],
    );
    assert.deepEqual((await exact('A', 'names')).hits, []);
  });

  holds('takes regular expressions, and refuses those that are none', async () => {
    const { corpus } = await on.indexed({
      'a.c': 'struct  task *p;\n',
      'b.c': 'struct task p;\n',
      'c.h': 'STRUCT TASK *P\n',
    });
    const regex = (source: string, more: Partial<CodeQuery> = {}, caseSensitive = false) =>
      on.places('', [corpus], { pattern: { kind: 'regex', source, caseSensitive }, ...more });
    assert.deepEqual(await regex('struct\\s+task\\s*\\*p'), ['a.c:1', 'c.h:1']);
    assert.deepEqual(await regex('struct\\s+task\\s*\\*p', {}, true), ['a.c:1']);
    assert.deepEqual(await regex('^[ab]\\.c$', { part: 'names' }), ['a.c:1', 'b.c:1']);
    await assert.rejects(regex('(unclosed'), InvalidPattern);
    await assert.rejects(regex('(unclosed', { part: 'names' }), InvalidPattern);
  });

  holds('ends expressions that were built to explode', async () => {
    const { corpus } = await on.indexed({ [`${'a'.repeat(60)}!`]: `${'a'.repeat(5_000)}!\n` });
    for (const part of ['contents', 'names'] as const) {
      const pattern = { kind: 'regex', source: '(a+)+b', caseSensitive: false } as const;
      assert.deepEqual((await on.ask('', [corpus], { part, pattern })).hits, []);
    }
  });

  holds('reads lines and paths that are not UTF-8', async () => {
    const source = await on.indexed({ 'latin.txt': Buffer.from('Stra\xdfe needle\n', 'latin1') });
    await source.saveRaw(Buffer.from('caf\xe9.txt', 'latin1'), 'needle\n');
    await on.push(source);
    const { hits } = await on.ask('needle', [source.corpus]);
    assert.deepEqual(
      hits.map(({ path, data }) => [path, data]),
      [
        ['café.txt', 'needle\n'],
        ['latin.txt', 'Straße needle\n'],
      ],
    );
    assert.deepEqual(await on.names('CAFÉ', [source.corpus]), ['café.txt']);
  });

  holds('finds a file of several megabytes and a very long line', async () => {
    const large = `${'filler of a large file\n'.repeat(150_000)}the needle\n${'after\n'.repeat(100_000)}`;
    const long = `first\n${'0123456789'.repeat(100_000)}needle${'x'.repeat(100_000)}\nlast\n`;
    const source = await on.indexed({ 'large.txt': large, 'long.txt': long });
    const { hits } = await on.ask('needle', [source.corpus]);
    assert.deepEqual(
      hits.map(({ path, startLine, data }) => [path, startLine, data.length]),
      [
        ['large.txt', 149_999, 2 * 23 + 11 + 2 * 6],
        ['long.txt', 1, long.length],
      ],
    );
  });

  holds('ends a search whose caller has gone', async () => {
    const { corpus } = await on.indexed({ a: 'needle\n' });
    const gone = new Error('gone');
    await assert.rejects(on.index.search(queryOf(corpus), AbortSignal.abort(gone)), gone);
    const controller = new AbortController();
    const searches = Array.from({ length: 20 }, () => on.index.search(queryOf(corpus), controller.signal));
    controller.abort(gone);
    for (const result of await Promise.allSettled(searches))
      if (result.status === 'rejected') assert.equal(result.reason, gone);
    assert.deepEqual(await on.places('needle', [corpus]), ['a:1']);
  });
}

function queryOf(corpus: CorpusName): CodeQuery {
  const pattern = { kind: 'literal', text: 'needle', caseSensitive: false } as const;
  return { corpora: [corpus], part: 'contents', pattern, filters: [], limit: 20 };
}
