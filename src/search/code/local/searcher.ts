import type { CodeAnswer, CodeHit, CodeQuery, CorpusName } from '../code-index.ts';
import { decodeText } from '../decode-text.ts';
import { searchContents } from './contents.ts';
import type { IndexView } from './index-view.ts';
import { searchNames } from './names.ts';
import { ScanBudget } from './oversized.ts';
import { PathSelection, type PathTest } from './path-filter.ts';
import type { CorpusVersion } from './read-store.ts';

/** A gigabyte or so. What is left out then shows as `truncated`. */
const SCAN_MS = 5_000;

/** The caller has gone. */
export class SearchStopped extends Error {
  override name = 'SearchStopped';
}

/** A corpus to look in. */
export interface AskedCorpus extends CorpusVersion {
  name: CorpusName;
}

/** What both parts of a search work with. */
export interface SearchRun {
  view: IndexView;
  query: CodeQuery;
  /** In the order asked for. */
  corpora: readonly AskedCorpus[];
  /** Throws SearchStopped. To be called between files. */
  checkStop: () => void;
  /** For blobs that only the repositories hold. */
  budget: ScanBudget;
}

/** One search from begin to end, on one state of the index. Throws InvalidPattern, SearchStopped, DamagedSegment. */
export function search(view: IndexView, query: CodeQuery, stopped: () => boolean): Promise<CodeAnswer> {
  const checkStop = () => {
    if (stopped()) throw new SearchStopped();
  };
  return view.read(async () => {
    const corpora: AskedCorpus[] = [];
    for (const name of new Set(query.corpora)) {
      const version = view.corpus(name);
      if (version) corpora.push({ ...version, name });
    }
    const budget = new ScanBudget(SCAN_MS);
    const run = { view, query, corpora, checkStop, budget };
    const hits: CodeHit[] = [];
    for await (const hit of query.part === 'names' ? searchNames(run) : searchContents(run)) {
      hits.push(hit);
      if (hits.length >= query.limit) break;
    }
    return { hits, truncated: hits.length >= query.limit || budget.exceeded };
  });
}

export function pathSelection(tests: readonly PathTest[]): PathSelection {
  return new PathSelection(tests, decodePath);
}

/** Readable text of a path that is one character for each byte. */
export function decodePath(path: string): string {
  return /[\x80-\xff]/.test(path) ? decodeText(Buffer.from(path, 'latin1')) : path;
}
