import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../platform/log.ts';
import type { CodeIndex, CodeQuery, CorpusName } from '../code-index.ts';
import { Generation } from './generation.ts';
import { IndexView } from './index-view.ts';
import { type LocalCodeIndexOptions, openLocalCodeIndex } from './local-index.ts';
import { ReadStore } from './read-store.ts';
import { connect } from './store.ts';

const MEMORY = 4 * 1024 * 1024;

/** An index in a folder of its own, and what search threads see of it. */
export class TestIndex implements AsyncDisposable {
  readonly dir: string;
  readonly index: CodeIndex;
  readonly #close: (() => void)[] = [];

  private constructor(dir: string, index: CodeIndex) {
    this.dir = dir;
    this.index = index;
  }

  static async open(options: Partial<LocalCodeIndexOptions> = {}): Promise<TestIndex> {
    const dir = await mkdtemp(join(tmpdir(), 'ingot-index-'));
    return new TestIndex(dir, await openLocalCodeIndex({ dir, log: createLog('silent'), ...options }));
  }

  /** As in a thread of its own. What the index writes does not advance the generation. */
  view(generation = new Generation(), Store = ReadStore): IndexView {
    const database = connect(this.dir, { readOnly: true });
    const store = new Store(database);
    const view = new IndexView({
      dir: this.dir,
      store,
      generation,
      frameBytes: MEMORY,
      tableBytes: MEMORY,
    });
    this.#close.push(() => {
      view.close();
      database.close();
    });
    return view;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#close) close();
    await this.index.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** All lines of a corpus that hold the text. */
export const contentsQuery = (corpus: CorpusName, text: string): CodeQuery => ({
  corpora: [corpus],
  part: 'contents',
  pattern: { kind: 'literal', text, caseSensitive: false },
  filters: [],
  limit: 1_000,
});
