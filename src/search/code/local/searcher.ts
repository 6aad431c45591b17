import { type CodeAnswer, type CodeHit, type CodeQuery, type CorpusName, contentsOf } from '../code-index.ts';
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
  /** How many hits to give: those behind them are counted. */
  shown: number;
  /** In the order asked for. */
  corpora: readonly AskedCorpus[];
  /** Throws SearchStopped. To be called between files. */
  checkStop: () => void;
  /** For blobs that only the repositories hold. */
  budget: ScanBudget;
  share: Share;
}

/** What was found in a file, in order. */
export interface Found {
  /** One character for each byte. */
  path: string;
  count: number;
  /** Those of them that are to be given. */
  hits: CodeHit[];
}

/** What one of the threads of a search found. */
export interface PartAnswer extends CodeAnswer {
  contents?: PartAnswer;
  /** Of each hit, one character for each byte: what is in order of it is in order of bytes. */
  paths: string[];
  /** Names what the index held: only parts of the same state make up an answer. Empty where no other took part. */
  state: string;
}

/** One search, or a part of it, on one state of the index. Throws InvalidPattern, SearchStopped, DamagedSegment. */
export function search(view: IndexView, query: CodeQuery, share: Share): Promise<PartAnswer> {
  const checkStop = () => {
    if (share.stopped) throw new SearchStopped();
  };
  return view.read(async () => {
    const corpora = askedCorpora(view, query);
    const common = { view, corpora, checkStop, budget: new ScanBudget(SCAN_MS), share };
    const answer = await searchOne({ ...common, query });
    const needsContents = query.contents && !answer.truncated;
    const contents = needsContents && (await searchOne({ ...common, query: contentsOf(query) }));
    const state = share.end() ? stateOf(view, corpora) : '';
    return { ...answer, state, ...(contents && { contents: { ...contents, state } }) };
  });
}

async function searchOne(given: Omit<SearchRun, 'shown'>): Promise<Omit<PartAnswer, 'state'>> {
  const { query, budget } = given;
  const run = { ...given, shown: Math.min(query.shown ?? query.limit, query.limit) };
  const hits: CodeHit[] = [];
  const paths: string[] = [];
  let found = 0;
  for await (const file of query.part === 'names' ? searchNames(run) : searchContents(run)) {
    hits.push(...file.hits);
    for (const _ of file.hits) paths.push(file.path);
    found += file.count;
    if (found >= query.limit) break;
  }
  const truncated = found >= query.limit || budget.exceeded;
  return { hits, found, truncated, paths };
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
