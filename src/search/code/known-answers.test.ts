import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CodeAnswer, CodeIndex, CodeQuery, CorpusName } from './code-index.ts';
import { KnownAnswers } from './known-answers.ts';

const QUERY: CodeQuery = {
  corpora: ['project:1'],
  part: 'contents',
  pattern: { kind: 'literal', text: 'word', caseSensitive: false },
  filters: [],
  limit: 20,
};

/** An index that answers with the commit it is at, and counts how often it was asked. */
function indexAt(commit: string) {
  const contents = undefined as CodeAnswer | undefined;
  const at = { commit, asked: 0, truncated: false, contents, whileAsked: () => {} };
  const index = {
    commits: (corpora: readonly CorpusName[]) => new Map(corpora.map((corpus) => [corpus, at.commit])),
    async search({ corpora }: CodeQuery): Promise<CodeAnswer> {
      at.asked++;
      const hit = {
        corpus: corpora[0]!,
        path: at.commit,
        blob: '0'.repeat(40),
        startLine: 1,
        data: 'word\n',
      };
      at.whileAsked();
      return {
        hits: [hit],
        found: 1,
        truncated: at.truncated,
        ...(at.contents && { contents: at.contents }),
      };
    },
  } as unknown as CodeIndex;
  return { index, at };
}

describe('known answers', () => {
  it('are given again, for the same question about the same commit only', async () => {
    const known = new KnownAnswers();
    const { index, at } = indexAt('one');
    const ask = async (query = QUERY) => (await known.search(index, query)).hits[0]?.path;
    assert.deepEqual([await ask(), await ask()], ['one', 'one']);
    assert.equal(at.asked, 1);
    for (const other of [
      { ...QUERY, limit: 21 },
      { ...QUERY, part: 'names' as const },
      { ...QUERY, pattern: { ...QUERY.pattern, caseSensitive: true } },
      { ...QUERY, filters: [{ kind: 'path' as const, pattern: 'a', negated: false }] },
      { ...QUERY, corpora: ['wiki:1' as const] },
    ]) {
      const before: number = at.asked;
      await ask(other);
      assert.equal(at.asked, before + 1);
    }
    at.commit = 'two';
    assert.equal(await ask(), 'two');
  });

  it('are not kept when a push overtook them, nor when time ran out', async () => {
    const known = new KnownAnswers();
    const { index, at } = indexAt('one');
    at.whileAsked = () => {
      at.commit = 'two';
    };
    await known.search(index, QUERY);
    at.whileAsked = () => {};
    at.commit = 'one';
    await known.search(index, QUERY);
    assert.equal(at.asked, 2);
    at.truncated = true;
    at.commit = 'three';
    await known.search(index, QUERY);
    await known.search(index, QUERY);
    assert.equal(at.asked, 4);
  });

  it('are not kept when time ran out for the contents that were asked for with names', async () => {
    const known = new KnownAnswers();
    const { index, at } = indexAt('one');
    const query = { ...QUERY, part: 'names' as const, contents: { limit: 5, shown: 5 } };
    for (const [truncated, asked] of [
      [true, 2],
      [false, 1],
    ] as const) {
      const contents = { hits: [], found: 1, truncated };
      at.contents = contents;
      at.commit = `with ${asked}`;
      const before = at.asked;
      for (let i = 0; i < 2; i++) assert.deepEqual((await known.search(index, query)).contents, contents);
      assert.equal(at.asked - before, asked);
    }
  });

  it('are not kept for questions about very many', async () => {
    const known = new KnownAnswers();
    const { index, at } = indexAt('one');
    const corpora = Array.from({ length: 51 }, (_, i): CorpusName => `project:${i}`);
    for (let i = 0; i < 2; i++) await known.search(index, { ...QUERY, corpora });
    assert.equal(at.asked, 2);
  });
});
