import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type CodeHit,
  type CodeIndex,
  type CodeQuery,
  type CorpusName,
  InvalidPattern,
  type PathFilter,
} from './code-index.ts';
import { grep, openSources, type Source, type Sources } from './contract-sources.ts';

export interface CodeIndexContract {
  name: string;
  /** A fresh, empty index and how to remove it. */
  make(): Promise<{ index: CodeIndex; remove(): Promise<void> }>;
  /** Tests that an adapter cannot pass, each with the reason why. */
  skip?: readonly { test: string; reason: string }[];
}

let lastProject = 0;

/** What every adapter of `CodeIndex` must do, on real repositories. A new adapter's test is a call of this. */
export function runCodeIndexContract(contract: CodeIndexContract): void {
  describe(`code index: ${contract.name}`, () => {
    let index: CodeIndex;
    let sources: Sources;
    let remove = async () => {};
    before(async () => {
      ({ index, remove } = await contract.make());
      sources = await openSources();
    });
    after(async () => {
      await remove();
      await sources[Symbol.asyncDispose]();
    });

    const holds = (name: string, test: () => Promise<void>) => {
      const skipped = contract.skip?.find((entry) => entry.test === name);
      it(name, { skip: skipped?.reason ?? false }, test);
    };
    /** A project of its own, indexed. */
    const indexed = async (files: Record<string, string | Buffer>): Promise<Source> => {
      const source = await sources.make(`project:${++lastProject}`);
      await source.save(files);
      await push(source);
      return source;
    };
    const push = (source: Source) => index.update(source.corpus, source.state());
    const ask = (text: string, corpora: CorpusName[], more: Partial<CodeQuery> = {}) =>
      index.search({
        corpora,
        part: 'contents',
        pattern: { kind: 'literal', text, caseSensitive: false },
        filters: [],
        limit: 1000,
        ...more,
      });
    const places = async (...query: Parameters<typeof ask>) =>
      (await ask(...query)).hits.map(({ path, startLine }) => `${path}:${startLine}`);
    const names = (text: string, corpora: CorpusName[], more: Partial<CodeQuery> = {}) =>
      places(text, corpora, { part: 'names', ...more }).then((found) =>
        found.map((place) => place.slice(0, -2)),
      );

    holds('shows each line that matches with two lines before and after', async () => {
      const { corpus } = await indexed({
        'a.txt': 'one\ntwo\nthree\nfour\nNeedle five\nsix\nseven\neight\n',
      });
      const { hits, truncated } = await ask('needle', [corpus]);
      assert.deepEqual(
        hits.map(({ path, startLine, data }) => ({ path, startLine, data })),
        [{ path: 'a.txt', startLine: 3, data: 'three\nfour\nNeedle five\nsix\nseven\n' }],
      );
      assert.equal(truncated, false);
    });

    holds('clips the context at both ends, ends the last line, keeps carriage returns', async () => {
      const { corpus } = await indexed({ 'a.txt': 'needle\r\nx\r\ny\r\nz', 'b.txt': 'x\ny\nz\nneedle' });
      const { hits } = await ask('needle', [corpus]);
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
      const { corpus } = await indexed({ near: lines(5, 10), far: lines(5, 11) });
      assert.deepEqual(await places('needle', [corpus]), ['far:3', 'far:9', 'near:3']);
    });

    holds('tells the object id of the blob', async () => {
      const source = await indexed({ 'a.txt': 'needle\n' });
      const { hits } = await ask('needle', [source.corpus]);
      assert.equal(hits[0]?.blob, await source.work.git('rev-parse', 'HEAD:a.txt'));
      assert.equal(hits[0]?.corpus, source.corpus);
    });

    holds('answers by corpus as asked for, then by the bytes of the path, then by line', async () => {
      const two = `needle\n${'x\n'.repeat(9)}needle\n`;
      const files = { 'b/a': 'needle\n', 'b-a': 'needle\n', b0: 'needle\n', Z: two, é: 'needle\n' };
      const first = await indexed(files);
      const second = await indexed({ only: 'needle\n' });
      const expected = ['Z:1', 'Z:9', 'b-a:1', 'b/a:1', 'b0:1', 'é:1'];
      assert.deepEqual(await places('needle', [first.corpus, second.corpus]), [...expected, 'only:1']);
      assert.deepEqual(await places('needle', [second.corpus, first.corpus]), ['only:1', ...expected]);
    });

    holds('ends at the limit and says so', async () => {
      const { corpus } = await indexed({ a: `needle\n${'x\n'.repeat(9)}needle\n`, b: 'needle\n' });
      for (const limit of [1, 2, 3]) {
        const answer = await ask('needle', [corpus], { limit });
        assert.equal(answer.hits.length, limit);
        assert.equal(answer.truncated, true);
      }
      assert.equal((await ask('needle', [corpus], { limit: 4 })).truncated, false);
      assert.equal((await ask('b', [corpus], { part: 'names', limit: 1 })).truncated, true);
    });

    holds('follows changes, additions, deletions, renames and modes', async () => {
      const source = await indexed({
        changed: 'old\nneedle\n',
        gone: 'needle\n',
        moved: 'needle moved\n',
        run: 'needle\n',
      });
      await source.work.git('rm', '-q', 'gone');
      await source.work.git('mv', 'moved', 'dir-moved');
      await source.work.git('update-index', '--chmod=+x', 'run');
      await source.save({ changed: 'new\n', added: 'a needle\n' });
      await push(source);
      assert.deepEqual(await places('needle', [source.corpus]), ['added:1', 'dir-moved:1', 'run:1']);
      assert.deepEqual(await names('moved', [source.corpus]), ['dir-moved']);
      assert.deepEqual(await places('old', [source.corpus]), []);
    });

    holds('follows a file that becomes a folder, a link or a file again', async () => {
      const source = await indexed({ a: 'needle\n', b: 'needle\n' });
      await source.work.git('rm', '-q', 'a', 'b');
      await source.link('b', 'needle');
      await source.save({ 'a/inside': 'needle\n' });
      await push(source);
      assert.deepEqual(await places('needle', [source.corpus]), ['a/inside:1']);
      await source.work.git('rm', '-q', '-r', 'a', 'b');
      await source.save({ a: 'needle\n', b: 'needle\n' });
      await push(source);
      assert.deepEqual(await places('needle', [source.corpus]), ['a:1', 'b:1']);
    });

    holds('takes the same commit twice', async () => {
      const source = await indexed({ a: 'needle\n' });
      await push(source);
      assert.deepEqual(await places('needle', [source.corpus]), ['a:1']);
    });

    holds('follows a force push to another history, also when git has dropped the old one', async () => {
      const source = await indexed({ a: 'needle old\n' });
      await source.work.git('checkout', '-q', '--orphan', 'other');
      await source.work.git('rm', '-q', '-r', '-f', '.');
      await source.save({ b: 'needle new\n' });
      await push(source);
      assert.deepEqual(await places('needle', [source.corpus]), ['b:1']);
      await source.work.git('checkout', '-q', '--orphan', 'third');
      await source.work.git('rm', '-q', '-r', '-f', '.');
      await source.save({ c: 'needle newest\n' });
      await source.dropUnreachable('third');
      await push(source);
      assert.deepEqual(await places('needle', [source.corpus]), ['c:1']);
    });

    holds('comes back to what it held before', async () => {
      const source = await indexed({ a: 'needle\n', b: 'x\n' });
      const first = source.state();
      await source.save({ a: 'nothing\n', b: 'needle too\n' });
      await push(source);
      await index.update(source.corpus, first);
      assert.deepEqual(await places('needle', [source.corpus]), ['a:1']);
    });

    holds('keeps what another corpus holds when one goes', async () => {
      const one = await indexed({ shared: 'needle\n', own: 'needle one\n' });
      const two = await indexed({ shared: 'needle\n', own: 'needle two\n' });
      assert.deepEqual(await places('needle', [one.corpus, two.corpus]), [
        'own:1',
        'shared:1',
        'own:1',
        'shared:1',
      ]);
      await index.remove([one.corpus]);
      assert.deepEqual(await places('needle', [one.corpus, two.corpus]), ['own:1', 'shared:1']);
      assert.deepEqual([...index.commits([one.corpus, two.corpus]).keys()], [two.corpus]);
      await index.remove([one.corpus, two.corpus, 'wiki:999999']);
      assert.deepEqual(await places('needle', [one.corpus, two.corpus]), []);
      await push(one);
      assert.deepEqual(await places('needle', [one.corpus, two.corpus]), ['own:1', 'shared:1']);
    });

    holds('tells projects from wikis', async () => {
      const source = await indexed({ a: 'needle\n' });
      const wiki: CorpusName = `wiki:${source.corpus.slice('project:'.length) as `${number}`}`;
      assert.deepEqual(await places('needle', [wiki]), []);
      await index.update(wiki, source.state());
      assert.deepEqual(await places('needle', [wiki]), ['a:1']);
      await index.remove([source.corpus]);
      assert.deepEqual(await places('needle', [wiki, source.corpus]), ['a:1']);
    });

    holds('says what it holds', async () => {
      const before = index.status();
      const source = await indexed({
        a: 'what it holds: a\n',
        b: 'what it holds: b\n',
        c: 'what it holds: b\n',
      });
      const { blobs, bytes, corpora } = index.status();
      assert.deepEqual([blobs - before.blobs, corpora - before.corpora], [2, 1]);
      assert.ok(bytes > 0);
      assert.equal(index.commits([source.corpus]).get(source.corpus), source.state().commit);
      assert.equal(index.corpora().get(source.corpus), source.state().commit);
      await index.remove([source.corpus]);
      assert.deepEqual([index.status().blobs, index.status().corpora], [before.blobs, before.corpora]);
      assert.equal(index.corpora().has(source.corpus), false);
    });

    const filterCases: { filters: [PathFilter['kind'], string, negated?: boolean][]; paths: string[] }[] = [
      { filters: [['filename', 'spec.rb']], paths: ['lib/x_spec.rb', 'spec.rb'] },
      { filters: [['filename', 'lib/X_Spec.RB']], paths: ['lib/x_spec.rb'] },
      { filters: [['filename', 'x*b']], paths: ['lib/x_spec.rb'] },
      { filters: [['filename', 'l*.md']], paths: ['lib/x.md'] },
      { filters: [['path', 'LIB/']], paths: ['lib/x.md', 'lib/x_spec.rb'] },
      { filters: [['path', 's*e']], paths: ['lib/x_spec.rb', 'spec.rb'] },
      { filters: [['path', 'GRÖßE']], paths: ['Größe/[a]?.txt'] },
      { filters: [['path', '[a]?']], paths: ['Größe/[a]?.txt'] },
      { filters: [['extension', 'rb']], paths: ['lib/x_spec.rb', 'spec.rb'] },
      { filters: [['extension', 'r*']], paths: ['lib/x_spec.rb', 'spec.rb'] },
      { filters: [['extension', 'b']], paths: [] },
      { filters: [['extension', 'rb', true]], paths: ['Größe/[a]?.txt', 'lib/x.md'] },
      {
        filters: [
          ['path', 'lib'],
          ['extension', 'rb', true],
        ],
        paths: ['lib/x.md'],
      },
      { filters: [['path', '*']], paths: ['Größe/[a]?.txt', 'lib/x.md', 'lib/x_spec.rb', 'spec.rb'] },
    ];
    holds('filters by name, path and extension', async () => {
      const files = ['lib/x_spec.rb', 'lib/x.md', 'spec.rb', 'Größe/[a]?.txt'];
      const { corpus } = await indexed(Object.fromEntries(files.map((file) => [file, 'needle\n'])));
      for (const { filters: rows, paths } of filterCases) {
        const filters = rows.map(([kind, pattern, negated = false]) => ({ kind, pattern, negated }));
        const why = JSON.stringify(rows);
        assert.deepEqual(
          await places('needle', [corpus], { filters }),
          paths.map((path) => `${path}:1`),
          why,
        );
        assert.deepEqual(await names('.', [corpus], { filters }), paths, why);
      }
    });

    holds('finds names by any part of the path, whatever the case', async () => {
      const source = await indexed({ 'src/Main.TS': 'x'.repeat(2000), 'src/a*b': 'short', ПРИВЕТ: 'y\n' });
      const found = (text: string) => names(text, [source.corpus]);
      assert.deepEqual(await found('SRC/main'), ['src/Main.TS']);
      assert.deepEqual(await found('*'), ['src/a*b']);
      assert.deepEqual(await found('привет'), ['ПРИВЕТ']);
      assert.deepEqual(await found('src\0'), []);
      assert.deepEqual(await found('nowhere'), []);
      const { hits } = await ask('src/', [source.corpus], { part: 'names' });
      assert.deepEqual(
        hits.map(({ startLine, data }) => [startLine, data]),
        [
          [1, 'x'.repeat(1024)],
          [1, 'short'],
        ],
      );
      assert.equal(hits[1]?.blob, await source.work.git('rev-parse', 'HEAD:src/a*b'));
    });

    holds('cuts the beginning of a file between characters', async () => {
      const { corpus } = await indexed({ 'cut.txt': `a${'é'.repeat(600)}` });
      const { hits } = await ask('cut.txt', [corpus], { part: 'names' });
      assert.equal(hits[0]?.data, `a${'é'.repeat(511)}`);
    });

    holds('finds binary and empty files, links aside, by name only', async () => {
      const source = await sources.make(`project:${++lastProject}`);
      await source.link('bin.link', 'bin.1');
      await source.submodule('bin.module');
      await source.save({
        'bin.1': Buffer.from('needle\0needle\n'),
        'bin.2': Buffer.concat([Buffer.alloc(7_999, 'needle\n'), Buffer.from('\0')]),
        'bin.3': Buffer.concat([Buffer.alloc(8_000, 'text\n'), Buffer.from('\0 needle\n')]),
        'bin.4': '',
      });
      await push(source);
      assert.deepEqual(await names('bin', [source.corpus]), ['bin.1', 'bin.2', 'bin.3', 'bin.4']);
      const { hits } = await ask('needle', [source.corpus]);
      assert.deepEqual(
        hits.map(({ path }) => path),
        ['bin.3'],
      );
      const [first] = (await ask('bin.1', [source.corpus], { part: 'names' })).hits;
      assert.equal(first?.data, 'needle\0needle\n');
    });

    holds('reads lines and paths that are not UTF-8', async () => {
      const source = await indexed({ 'latin.txt': Buffer.from('Stra\xdfe needle\n', 'latin1') });
      await source.saveRaw(Buffer.from('caf\xe9.txt', 'latin1'), 'needle\n');
      await push(source);
      const { hits } = await ask('needle', [source.corpus]);
      assert.deepEqual(
        hits.map(({ path, data }) => [path, data]),
        [
          ['café.txt', 'needle\n'],
          ['latin.txt', 'Straße needle\n'],
        ],
      );
      assert.deepEqual(await names('CAFÉ', [source.corpus]), ['café.txt']);
    });

    holds('finds a file of several megabytes and a very long line', async () => {
      const large = `${'filler of a large file\n'.repeat(150_000)}the needle\n${'after\n'.repeat(100_000)}`;
      const long = `first\n${'0123456789'.repeat(100_000)}needle${'x'.repeat(100_000)}\nlast\n`;
      const source = await indexed({ 'large.txt': large, 'long.txt': long });
      const { hits } = await ask('needle', [source.corpus]);
      assert.deepEqual(
        hits.map(({ path, startLine, data }) => [path, startLine, data.length]),
        [
          ['large.txt', 149_999, 2 * 23 + 11 + 2 * 6],
          ['long.txt', 1, long.length],
        ],
      );
    });

    holds('takes an empty tree', async () => {
      const source = await indexed({ a: 'needle\n' });
      await source.work.git('rm', '-q', 'a');
      await source.commitIndex();
      await push(source);
      assert.deepEqual(await places('needle', [source.corpus]), []);
      assert.equal(index.commits([source.corpus]).size, 1);
    });

    holds('minds the case when asked to', async () => {
      const { corpus } = await indexed({ a: 'Needle\n', b: 'needle\n' });
      const exact = (text: string, part: CodeQuery['part']) =>
        ask(text, [corpus], { part, pattern: { kind: 'literal', text, caseSensitive: true } });
      assert.deepEqual(
        (await exact('Needle', 'contents')).hits.map(({ path }) => path),
        ['a'],
      );
      assert.deepEqual((await exact('A', 'names')).hits, []);
    });

    holds('takes regular expressions, and refuses those that are none', async () => {
      const { corpus } = await indexed({
        'a.c': 'struct  task *p;\n',
        'b.c': 'struct task p;\n',
        'c.h': 'STRUCT TASK *P\n',
      });
      const regex = (source: string, more: Partial<CodeQuery> = {}, caseSensitive = false) =>
        places('', [corpus], { pattern: { kind: 'regex', source, caseSensitive }, ...more });
      assert.deepEqual(await regex('struct\\s+task\\s*\\*p'), ['a.c:1', 'c.h:1']);
      assert.deepEqual(await regex('struct\\s+task\\s*\\*p', {}, true), ['a.c:1']);
      assert.deepEqual(await regex('^[ab]\\.c$', { part: 'names' }), ['a.c:1', 'b.c:1']);
      await assert.rejects(regex('(unclosed'), InvalidPattern);
      await assert.rejects(regex('(unclosed', { part: 'names' }), InvalidPattern);
    });

    holds('ends expressions that were built to explode', async () => {
      const { corpus } = await indexed({ [`${'a'.repeat(60)}!`]: `${'a'.repeat(5_000)}!\n` });
      for (const part of ['contents', 'names'] as const) {
        const pattern = { kind: 'regex', source: '(a+)+b', caseSensitive: false } as const;
        assert.deepEqual((await ask('', [corpus], { part, pattern })).hits, []);
      }
    });

    holds('leaves a corpus as it was when an update fails or is given up', async () => {
      const source = await indexed({ a: 'needle\n' });
      const { repository } = source.state();
      await assert.rejects(index.update(source.corpus, { repository, commit: '1'.repeat(40) }));
      await assert.rejects(index.update(source.corpus, { repository, commit: '--help' }));
      await source.save({ b: 'needle\n' });
      await assert.rejects(
        index.update(source.corpus, { ...source.state(), repository: `${repository}-not` }),
      );
      const given = new Error('given up');
      await assert.rejects(
        index.update(source.corpus, source.state(), { signal: AbortSignal.abort(given) }),
        given,
      );
      const controller = new AbortController();
      const update = index.update(source.corpus, source.state(), { signal: controller.signal });
      controller.abort(given);
      await assert.rejects(update, given);
      assert.deepEqual(await places('needle', [source.corpus]), ['a:1']);
      await push(source);
      assert.deepEqual(await places('needle', [source.corpus]), ['a:1', 'b:1']);
    });

    holds('ends a search whose caller has gone', async () => {
      const { corpus } = await indexed({ a: 'needle\n' });
      const gone = new Error('gone');
      await assert.rejects(index.search(queryOf(corpus), AbortSignal.abort(gone)), gone);
      const controller = new AbortController();
      const searches = Array.from({ length: 20 }, () => index.search(queryOf(corpus), controller.signal));
      controller.abort(gone);
      for (const result of await Promise.allSettled(searches))
        if (result.status === 'rejected') assert.equal(result.reason, gone);
      assert.deepEqual(await places('needle', [corpus]), ['a:1']);
    });

    holds('shows a corpus wholly before or wholly after an update', async () => {
      const source = await indexed({ a: 'needle 0\n', b: 'needle 0\n', c: 'needle 0\n' });
      let over = false;
      const watching = (async () => {
        while (!over) {
          const { hits } = await ask('needle', [source.corpus]);
          assert.equal(hits.length, 3);
          assert.equal(new Set(hits.map(({ data }) => data)).size, 1);
        }
      })();
      for (let round = 1; round <= 12; round++) {
        const text = `needle ${round}\n`;
        await source.save({ a: text, b: text, c: text });
        await push(source);
        const { hits } = await ask('needle', [source.corpus]);
        assert.deepEqual(
          hits.map(({ data }) => data),
          [text, text, text],
        );
      }
      over = true;
      await watching;
    });

    holds('finds what git grep finds after many random pushes', async () => {
      const source = await sources.make(`project:${++lastProject}`);
      const random = generator(7);
      for (let round = 0; round < 25; round++) {
        await source.saveRandom(random);
        await push(source);
      }
      for (const text of ['alpha', 'beta gamma', 'a', 'ß', 'ÄPFEL', ').', 'nowhere', 'delta\tx', 'тест']) {
        const { hits } = await ask(text, [source.corpus], { limit: 100_000 });
        assert.deepEqual(hits.map(stretchOf), await grep(source, text), text);
      }
    });
  });
}

function queryOf(corpus: CorpusName): CodeQuery {
  const pattern = { kind: 'literal', text: 'needle', caseSensitive: false } as const;
  return { corpora: [corpus], part: 'contents', pattern, filters: [], limit: 20 };
}

function stretchOf({ path, startLine, data }: CodeHit): { path: string; startLine: number; data: string } {
  return { path, startLine, data };
}

/** Numbers below 1 that are the same in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
