import type { CodeAnswer, CodeIndex, CodeQuery, CorpusName } from '../code-index.ts';
import { openSources, type Source, type Sources } from './sources.ts';

/** A test of the contract, unless the adapter says why it cannot pass it. */
export type Holds = (name: string, test: () => Promise<void>) => void;

/** An adapter with repositories to index, and short words for what the tests ask of it. */
export class IndexUnderTest {
  #index: CodeIndex | undefined;
  #sources: Sources | undefined;
  #remove = async () => {};
  #lastProject = 0;

  async open(make: () => Promise<{ index: CodeIndex; remove(): Promise<void> }>): Promise<void> {
    const { index, remove } = await make();
    this.#index = index;
    this.#remove = remove;
    this.#sources = await openSources();
  }

  async close(): Promise<void> {
    await this.#remove();
    await this.#sources?.[Symbol.asyncDispose]();
  }

  get index(): CodeIndex {
    return this.#index!;
  }

  /** A project of its own, without a commit. */
  newSource(): Promise<Source> {
    return this.#sources!.make(`project:${++this.#lastProject}`);
  }

  /** A project of its own, indexed. */
  async indexed(files: Record<string, string | Buffer>): Promise<Source> {
    const source = await this.newSource();
    await source.save(files);
    await this.push(source);
    return source;
  }

  push(source: Source): Promise<void> {
    return this.index.update(source.corpus, source.state());
  }

  ask(text: string, corpora: CorpusName[], more: Partial<CodeQuery> = {}): Promise<CodeAnswer> {
    const pattern = { kind: 'literal', text, caseSensitive: false } as const;
    return this.index.search({ corpora, part: 'contents', pattern, filters: [], limit: 1000, ...more });
  }

  /** The hits as `path:line`. */
  async places(text: string, corpora: CorpusName[], more: Partial<CodeQuery> = {}): Promise<string[]> {
    const { hits } = await this.ask(text, corpora, more);
    return hits.map(({ path, startLine }) => `${path}:${startLine}`);
  }

  /** The paths that are hits by name. */
  async names(text: string, corpora: CorpusName[], more: Partial<CodeQuery> = {}): Promise<string[]> {
    const { hits } = await this.ask(text, corpora, { part: 'names', ...more });
    return hits.map(({ path }) => path);
  }
}
