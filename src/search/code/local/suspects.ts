import { bitsOf, emptyBitmap } from '../segment/bitmap.ts';
import type { Candidates } from '../segment/candidates.ts';
import type { SearchPlan } from '../segment/match/plan.ts';
import { filterTest, type PathSelection } from './path-filter.ts';
import { IN_GIT, type PathEntry, type PathTable } from './path-table.ts';
import { latin1 } from './path-tables.ts';
import { type AskedCorpus, pathSelection, type SearchRun } from './searcher.ts';

/** A path whose blob may hold what is looked for. */
export interface Suspect {
  corpus: AskedCorpus;
  entry: PathEntry;
  /** How many paths of the corpora come before it; null where that is not known. */
  position: number | null;
}

export type CandidatesBySegment = ReadonlyMap<number, Candidates>;

/** Microseconds that a path costs in a table that is in memory, and to bring one there. */
const WALK_COST = 0.01;
const LOAD_COST = 1.5;
/** And those that a candidate costs: to find its paths in a table, and in the database. */
const MARK_COST = 0.1;
const LOOKUP_COST = 12;
/** A table that stays in memory serves this many searches before it is thrown out, at a guess. */
const TABLE_USES = 15;
/** Bytes of a path in a table, about. */
const PATH_BYTES = 60;
/** Names of popular blobs (licences) that are looked up at most, before walking is the better way. */
const MAX_NAMES = 5_000;
/** Up to so many corpora a blob is looked up in each of them. */
const FEW_CORPORA = 50;
/** From the candidates to their paths, or the other way. Threads that share a search go the same one, whatever tables they have in memory. */
export type Way = 'look-up' | 'walk';
/** Paths between two looks at the clock of the caller. */
const STRIDE = 4_096;

/** Few candidates are followed to their paths, in the tables or in the database; with many, the paths are walked and the candidates asked about each. */
export function chooseWay(run: SearchRun, candidates: CandidatesBySegment): Way {
  const chunks = chunksOf(candidates);
  return chunks * LOOKUP_COST < tablesCost(run, chunks) ? 'look-up' : 'walk';
}

/** The paths that are for this thread, in order. What takes long is done at once: behind it is the first of them. */
export function suspects(
  run: SearchRun,
  plan: SearchPlan,
  candidates: CandidatesBySegment,
  way: Way,
): Iterable<Suspect> {
  const selection = pathSelection(run.query.filters.map(filterTest));
  const found = way === 'look-up' ? lookUp(run, plan, candidates, selection) : null;
  if (found) return ownedOf(found, run);
  return walk(run, { candidates, chunks: chunksOf(candidates), selection });
}

function chunksOf(candidates: CandidatesBySegment): number {
  return candidates.values().reduce((sum, { chunks }) => sum + chunks, 0);
}

function* ownedOf(found: readonly Suspect[], { share }: SearchRun): Generator<Suspect> {
  for (const [place, suspect] of found.entries()) if (share.owns(place)) yield suspect;
}

const isMarked = (chunks: number, paths: number): boolean => chunks * MARK_COST < paths * WALK_COST;

/** Loading counts in full where the tables would drive each other out. */
function tablesCost({ view, corpora }: SearchRun, chunks: number): number {
  let paths = 0;
  let absent = 0;
  let cost = 0;
  for (const { id, files } of corpora) {
    paths += files;
    if (!view.tables.has(id)) absent += files;
    cost += isMarked(chunks, files) ? chunks * MARK_COST : files * WALK_COST;
  }
  const stay = paths * PATH_BYTES < view.tables.maxBytes;
  return cost + (absent * LOAD_COST) / (stay ? TABLE_USES : 1);
}

/** From each candidate to its paths by the database. Null when there are too many. */
function lookUp(
  run: SearchRun,
  plan: SearchPlan,
  candidates: CandidatesBySegment,
  selection: PathSelection,
): Suspect[] | null {
  const { view, corpora, checkStop } = run;
  const ranks = new Map(corpora.map(({ id }, rank) => [id, rank]));
  const found: { rank: number; entry: PathEntry }[] = [];
  const add = (corpus: number, path: string, place: Omit<PathEntry, 'path'>) => {
    const rank = ranks.get(corpus);
    if (rank !== undefined && selection.passes(path)) found.push({ rank, entry: { path, ...place } });
  };
  // A blob of a thousand forks, of which twenty were asked for, is looked up in the twenty.
  const asked = corpora.length <= FEW_CORPORA ? JSON.stringify([...ranks.keys()]) : null;
  let left = MAX_NAMES;
  for (const [segment, within] of candidates) {
    checkStop();
    for (const number of within.blobs()) {
      if (!view.within(segment, (opened) => opened.mayMatch(number, plan, within))) continue;
      const names = asked
        ? view.store.namesIn(asked, segment, number, left)
        : view.store.namesOf(segment, number, left);
      left -= names.length;
      if (left === 0) return null;
      for (const { corpus, path: bytes, blob } of names)
        add(corpus, latin1(bytes), { blob, segment, number });
    }
  }
  for (const { corpus, path: bytes, blob } of view.store.oversizedNames())
    add(corpus, latin1(bytes), { blob, segment: IN_GIT, number: 0 });
  found.sort((a, b) => a.rank - b.rank || (a.entry.path < b.entry.path ? -1 : 1));
  return found.map(({ rank, entry }) => ({ corpus: corpora[rank]!, entry, position: null }));
}

interface Walk {
  candidates: CandidatesBySegment;
  chunks: number;
  selection: PathSelection;
}

/** Through the paths, corpus by corpus. */
function* walk(run: SearchRun, { candidates, chunks, selection }: Walk): Generator<Suspect> {
  let before = 0;
  let place = 0;
  for (const corpus of run.corpora) {
    const table = run.view.tables.get(corpus);
    const paths = { table, candidates, selection };
    const indexes = isMarked(chunks, table.length) ? markedPaths(paths) : walkedPaths(paths, run.checkStop);
    for (const index of indexes) {
      if (!run.share.owns(place++)) continue;
      const segment = table.segment(index);
      const number = table.number(index);
      const entry = { path: table.path(index), blob: table.blob(index), segment, number };
      yield { corpus, entry, position: before + index };
    }
    before += table.length;
  }
}

interface PathsOfTable {
  table: PathTable;
  candidates: CandidatesBySegment;
  selection: PathSelection;
}

/** The paths of the candidates, found one by one. */
function* markedPaths({ table, candidates, selection }: PathsOfTable): Generator<number> {
  const paths = emptyBitmap(table.length);
  for (const [segment, within] of candidates)
    for (const number of within.blobs()) table.mark(segment, number, paths);
  table.mark(IN_GIT, 0, paths);
  let selected = 0;
  for (const index of bitsOf(paths)) {
    if (index < selected) continue;
    selected = selection.next(table, index);
    if (selected === index) yield index;
  }
}

/** The same from the other end. */
function* walkedPaths(
  { table, candidates, selection }: PathsOfTable,
  checkStop: () => void,
): Generator<number> {
  for (let index = 0; index < table.length; index++) {
    if (index % STRIDE === 0) checkStop();
    const segment = table.segment(index);
    if (segment !== IN_GIT && !candidates.get(segment)?.has(table.number(index))) continue;
    const selected = selection.next(table, index);
    if (selected === index) yield index;
    else index = selected - 1; // which may be no candidate
  }
}
