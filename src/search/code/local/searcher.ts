import type { CodeAnswer, CodeHit, CodeQuery, CorpusName } from '../code-index.ts';
import { decodeText } from '../decode-text.ts';
import { searchContents } from './contents.ts';
import type { IndexView } from './index-view.ts';
import { searchNames } from './names.ts';
import { ScanBudget } from './oversized.ts';
import { PathSelection, type PathTest } from './path-filter.ts';
import type { CorpusVersion } from './read-store.ts';
import type { Share } from './share.ts';

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
  share: Share;
}

/** A hit, and its path as one character for each byte. */
export interface Found {
  hit: CodeHit;
  path: string;
}

/** What one of the threads of a search found. */
export interface PartAnswer extends CodeAnswer {
  /** Of each hit, one character for each byte: what is in order of it is in order of bytes. */
  paths: string[];
  /** Names what the index held. Only parts of the same state make up an answer; empty where there is but one part. */
  state: string;
}

/** One search, or a part of it, from begin to end, on one state of the index. Throws InvalidPattern, SearchStopped, DamagedSegment. */
export function search(view: IndexView, query: CodeQuery, share: Share): Promise<PartAnswer> {
  const checkStop = () => {
    if (share.stopped) throw new SearchStopped();
  };
  return view.read(async () => {
    const corpora = askedCorpora(view, query);
    const budget = new ScanBudget(SCAN_MS);
    const run = { view, query, corpora, checkStop, budget, share };
    if (query.part === 'names') share.begin(0);
    const hits: CodeHit[] = [];
    const paths: string[] = [];
    for await (const { hit, path } of query.part === 'names' ? searchNames(run) : searchContents(run)) {
      paths.push(path);
      if (hits.push(hit) >= query.limit) break;
    }
    const truncated = hits.length >= query.limit || budget.exceeded;
    return { hits, truncated, paths, state: share.isWhole ? '' : stateOf(view, corpora) };
  });
}

function askedCorpora(view: IndexView, query: CodeQuery): AskedCorpus[] {
  const corpora: AskedCorpus[] = [];
  for (const name of new Set(query.corpora)) {
    const version = view.corpus(name);
    if (version) corpora.push({ ...version, name });
  }
  return corpora;
}

const stateOf = (view: IndexView, corpora: readonly AskedCorpus[]): string =>
  JSON.stringify([[...view.segments().keys()], corpora.map(({ id, revision }) => [id, revision])]);

export function pathSelection(tests: readonly PathTest[]): PathSelection {
  return new PathSelection(tests, decodePath);
}

/** Readable text of a path that is one character for each byte. */
export function decodePath(path: string): string {
  return /[\x80-\xff]/.test(path) ? decodeText(Buffer.from(path, 'latin1')) : path;
}
