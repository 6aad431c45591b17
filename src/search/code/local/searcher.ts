import type { CodeAnswer, CodeHit, CodeQuery, CorpusName } from '../code-index.ts';
import { decodeText } from '../decode-text.ts';
import { searchContents } from './contents.ts';
import type { IndexView } from './index-view.ts';
import { searchNames } from './names.ts';
import { PathSelection, type PathTest } from './path-filter.ts';
import type { CorpusVersion } from './read-store.ts';

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
}

/** One search from begin to end, on one state of the index. Throws InvalidPattern, SearchStopped, DamagedSegment. */
export function search(view: IndexView, query: CodeQuery, stopped: () => boolean): CodeAnswer {
  const checkStop = () => {
    if (stopped()) throw new SearchStopped();
  };
  return view.read(() => {
    const corpora: AskedCorpus[] = [];
    for (const name of new Set(query.corpora)) {
      const version = view.corpus(name);
      if (version) corpora.push({ ...version, name });
    }
    const run = { view, query, corpora, checkStop };
    const hits: CodeHit[] = [];
    for (const hit of query.part === 'names' ? searchNames(run) : searchContents(run)) {
      hits.push(hit);
      if (hits.length >= query.limit) break;
    }
    return { hits, truncated: hits.length >= query.limit };
  });
}

export function pathSelection(tests: readonly PathTest[]): PathSelection {
  return new PathSelection(tests, decodePath);
}

/** Readable text of a path that is one character for each byte. */
export function decodePath(path: string): string {
  return /[\x80-\xff]/.test(path) ? decodeText(Buffer.from(path, 'latin1')) : path;
}
