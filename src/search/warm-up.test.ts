import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CorpusName } from './code/code-index.ts';
import type { CodeSearch, CodeSearchQuery } from './code/code-search.ts';
import { SearchBench } from './testing.ts';
import { textsToLookFor, WarmUp } from './warm-up.ts';

describe('the warm-up of a code search', () => {
  let bench: SearchBench;
  let corpora: CorpusName[];
  before(async () => {
    bench = await SearchBench.open();
    const { id } = await bench.made('POST', '/projects', { name: 'warm' });
    corpora = [`wiki:${id}`, `project:${id}`, 'project:99999'];
  });
  after(() => bench.close());

  /** Takes what is looked for; `onSearch` is told how often that was. */
  function watched(onSearch: (count: number) => void = () => {}) {
    const asked: CodeSearchQuery[] = [];
    const search = async (query: CodeSearchQuery) => {
      asked.push(query);
      onSearch(asked.length);
      const nothing = { hits: [], found: 0, truncated: false, skipped: 0 };
      return { ...nothing, contents: nothing };
    };
    return { asked, codeSearch: { search } as unknown as CodeSearch };
  }

  it('looks for different words, common ones first, in the projects that there are', async () => {
    const { asked, codeSearch } = watched();
    await new WarmUp(bench.service.core).run(codeSearch, corpora);
    const texts = asked.map(({ pattern }) => pattern.kind === 'literal' && pattern.text);
    assert.deepEqual(texts, textsToLookFor());
    assert.equal(new Set(texts).size, texts.length);
    const places = new Set(asked.flatMap((query) => query.places.map(({ name }) => name)));
    assert.deepEqual([...places], corpora.slice(1, 2));
  });

  it('ends when somebody searches, and does not begin after that', async () => {
    const warmUp = new WarmUp(bench.service.core);
    const { asked, codeSearch } = watched((count) => {
      if (count === 3) warmUp.end();
    });
    await warmUp.run(codeSearch, corpora);
    await warmUp.run(codeSearch, corpora);
    assert.ok(asked.length <= 4, `${asked.length}`); // one may be under way beside it
  });

  it('ends without a word when a search fails', async () => {
    const { asked, codeSearch } = watched(() => {
      throw new Error('the index is closed');
    });
    await new WarmUp(bench.service.core).run(codeSearch, corpora);
    assert.ok(asked.length <= 2, `${asked.length}`);
  });
});
