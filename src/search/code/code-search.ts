import type { CodeHit, CodePattern, PathFilter } from './code-index.ts';
import type { Corpus } from './corpora.ts';

/** One tree to search: a corpus at its tip, or at another commit of its repository. */
export interface Place extends Corpus {
  commit?: string | undefined;
}

export interface CodeSearchQuery {
  /** In this order come the hits. */
  places: readonly Place[];
  part: 'names' | 'contents';
  pattern: CodePattern;
  filters: readonly PathFilter[];
  limit: number;
}

export interface CodeSearchAnswer {
  hits: CodeHit[];
  /** Whether the search ended because it had `limit` hits. */
  truncated: boolean;
  /** Places left out because the index does not hold them and git would take too long for all of them. */
  skipped: number;
}

/** Exact search in files: by the index where it holds what is asked for, by git everywhere else, with the same hits. */
export declare class CodeSearch {
  /** Whether there is an index: searches over many projects are offered only then. */
  readonly enabled: boolean;
  search(query: CodeSearchQuery, signal?: AbortSignal): Promise<CodeSearchAnswer>;
}
