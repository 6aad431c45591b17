import type {
  CodeAnswer,
  CodeIndex,
  CodeIndexStatus,
  CodeQuery,
  CorpusName,
  CorpusState,
  UpdateOptions,
} from '../code/code-index.ts';
import { isWiki, projectIdOf } from '../code/corpora.ts';
import type { CommitIndex } from './commit-index.ts';

/**
 * The code index with the index of commits beside it, updated in the same step. A corpus counts as indexed when both hold it, so
 * that one that lost its file, or was cut short, catches up like any other.
 */
export class IndexWithCommits implements CodeIndex {
  readonly #code: CodeIndex;
  readonly #commits: CommitIndex;

  constructor(code: CodeIndex, commits: CommitIndex) {
    this.#code = code;
    this.#commits = commits;
  }

  async update(corpus: CorpusName, state: CorpusState, options: UpdateOptions = {}): Promise<void> {
    if (!isWiki(corpus)) await this.#commits.update(projectIdOf(corpus), state, options);
    await this.#code.update(corpus, state, options);
  }

  async remove(corpora: readonly CorpusName[]): Promise<void> {
    await this.#commits.remove(corpora.filter((name) => !isWiki(name)).map(projectIdOf));
    await this.#code.remove(corpora);
  }

  commits(corpora: readonly CorpusName[]): ReadonlyMap<CorpusName, string> {
    return new Map([...this.#code.commits(corpora)].filter(([name, commit]) => this.#agrees(name, commit)));
  }

  /** Those that only one of the two holds are in it, with a commit that is none. */
  corpora(): ReadonlyMap<CorpusName, string> {
    const all = new Map<CorpusName, string>(
      this.#commits.projects().map((projectId) => [`project:${projectId}`, '']),
    );
    for (const [name, commit] of this.#code.corpora())
      all.set(name, this.#agrees(name, commit) ? commit : '');
    return all;
  }

  search(query: CodeQuery, signal?: AbortSignal): Promise<CodeAnswer> {
    return this.#code.search(query, signal);
  }

  status(): CodeIndexStatus {
    const status = this.#code.status();
    return { ...status, bytes: status.bytes + this.#commits.bytes };
  }

  async close(): Promise<void> {
    await this.#code.close();
    this.#commits.close();
  }

  #agrees(name: CorpusName, commit: string): boolean {
    return isWiki(name) || this.#commits.tip(projectIdOf(name)) === commit;
  }
}
