import { type CodeAnswer, type CodeHit, type CodeQuery, type CorpusName, contentsOf } from '../code-index.ts';
import { decodeText } from '../decode-text.ts';
import { searchContents } from './contents.ts';
import { CallForHelp, type Help } from './help.ts';
import type { IndexView } from './index-view.ts';
import { searchNames } from './names.ts';
import { ScanBudget } from './oversized.ts';
import { PathSelection, type PathTest } from './path-filter.ts';
import type { CorpusVersion } from './read-store.ts';
import { Share } from './share.ts';

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
  /** Given to a thread that helps another one. */
  help: Help | undefined;
  callForHelp: CallForHelp;
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
}

export interface SearchOptions {
  share?: Share;
  help?: Help | undefined;
  callForHelp?: CallForHelp;
}

const NOTHING: PartAnswer = { hits: [], found: 0, truncated: false, paths: [] };

/** One search, or a part of it, on one state of the index. Throws InvalidPattern, SearchStopped, StateChanged, DamagedSegment. */
export function search(
  view: IndexView,
  query: CodeQuery,
  { share = Share.whole(), help, callForHelp = CallForHelp.none() }: SearchOptions = {},
): Promise<PartAnswer> {
  const checkStop = () => {
    if (share.stopped) throw new SearchStopped();
  };
  return view.read(async () => {
    const corpora = askedCorpora(view, query);
    const common = { view, corpora, checkStop, budget: new ScanBudget(SCAN_MS), share, help, callForHelp };
    if (help && help.state !== stateOf(common)) return NOTHING;
    const answer = await searchOne({ ...common, query });
    if (!query.contents || answer.truncated) return answer;
    return { ...answer, contents: await searchOne({ ...common, query: contentsOf(query) }) };
  });
}

async function searchOne(given: Omit<SearchRun, 'shown'>): Promise<PartAnswer> {
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

/** Names what the index holds of these corpora. */
export const stateOf = ({ view, corpora }: Pick<SearchRun, 'view' | 'corpora'>): string =>
  JSON.stringify([[...view.segments().keys()], corpora.map(({ id, revision }) => [id, revision])]);

export function pathSelection(tests: readonly PathTest[]): PathSelection {
  return new PathSelection(tests, decodePath);
}

/** Readable text of a path that is one character for each byte. */
export function decodePath(path: string): string {
  return /[\x80-\xff]/.test(path) ? decodeText(Buffer.from(path, 'latin1')) : path;
}
