import { LRUCache } from 'lru-cache';
import { type CodeAnswer, type CodeIndex, type CodeQuery, contentsOf } from './code-index.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** A question about more corpora has a name that is longer than most answers. */
const MAX_CORPORA = 50;

/**
 * What the index answered, by the question and the commits it was asked about: that never changes, whatever is pushed later.
 * Who pages through an answer, or asks again, gets the same one.
 */
export class KnownAnswers {
  readonly #answers = new LRUCache<string, CodeAnswer>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES / 16,
    sizeCalculation: ({ hits, contents }, key) =>
      [...hits, ...(contents?.hits ?? [])].reduce(
        (sum, { path, data }) => sum + 400 + 2 * (path.length + data.length),
        2 * key.length + 200,
      ),
  });

  /** The signal is the caller's own. */
  async search(index: CodeIndex, query: CodeQuery, signal?: AbortSignal): Promise<CodeAnswer> {
    const name = nameOf(index, query);
    if (name === null) return index.search(query, signal);
    const known = this.#answers.get(name);
    if (known) return known;
    const answer = await index.search(query, signal);
    // One cut short for lack of time may be longer the next time; one overtaken by a push is about other commits.
    if (isWhole(answer, query) && nameOf(index, query) === name) this.#answers.set(name, answer);
    return answer;
  }
}

const isWhole = ({ found, truncated, contents }: CodeAnswer, query: CodeQuery): boolean =>
  (found >= query.limit || !truncated) && (!contents || isWhole(contents, contentsOf(query)));

function nameOf(index: CodeIndex, { corpora, ...question }: CodeQuery): string | null {
  if (corpora.length > MAX_CORPORA) return null;
  const commits = index.commits(corpora);
  return JSON.stringify([question, corpora.map((corpus) => [corpus, commits.get(corpus)])]);
}
