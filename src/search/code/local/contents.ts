import type { CodeHit } from '../code-index.ts';
import type { Candidates } from '../segment/candidates.ts';
import { compilePlan, type SearchPlan } from '../segment/plan.ts';
import type { Stretch } from '../segment/stretches.ts';
import { scanBlob } from './oversized.ts';
import { filterTest, type PathSelection } from './path-filter.ts';
import { IN_GIT, type PathEntry } from './path-table.ts';
import { latin1 } from './path-tables.ts';
import { type AskedCorpus, decodePath, pathSelection, type SearchRun } from './searcher.ts';

/** A path whose blob may hold what is looked for. */
interface Suspect {
  corpus: AskedCorpus;
  entry: PathEntry;
}

type CandidatesBySegment = ReadonlyMap<number, Candidates>;

/** Microseconds that a path costs in a table that is in memory, to bring one there, and that a blob costs to find its paths. */
const WALK_COST = 0.01;
const LOAD_COST = 1.5;
const LOOKUP_COST = 12;
/** A table that stays in memory serves this many searches before it is thrown out, at a guess. */
const TABLE_USES = 15;
/** Bytes of a path in a table, about. */
const PATH_BYTES = 60;
/** Names of popular blobs (licences) that are looked up at most, before walking is the better way. */
const MAX_NAMES = 5_000;
/** Up to so many corpora a blob is looked up in each of them. */
const FEW_CORPORA = 50;
/** Paths between two looks at the clock of the caller. */
const STRIDE = 4_096;

/** Hits in lines of files, lazily, in the order asked for. */
export async function* searchContents(run: SearchRun): AsyncGenerator<CodeHit> {
  const { view, query } = run;
  const plan = compilePlan(query.pattern);
  const candidates = new Map<number, Candidates>();
  for (const id of view.segments().keys()) {
    const found = view.within(id, (segment) => segment.candidates(plan));
    if (found.chunks > 0) candidates.set(id, found);
    run.checkStop();
  }
  let left = query.limit;
  for (const suspect of suspects(run, plan, candidates)) {
    run.checkStop();
    const stretches = await stretchesIn(suspect, { run, plan, candidates, limit: left });
    if (stretches.length === 0) continue;
    left -= stretches.length;
    const { oid } = view.store.blob(suspect.entry.blob);
    const path = decodePath(suspect.entry.path);
    for (const { startLine, data } of stretches)
      yield { corpus: suspect.corpus.name, path, blob: oid, startLine, data };
  }
}

interface Lookup {
  run: SearchRun;
  plan: SearchPlan;
  candidates: CandidatesBySegment;
  limit: number;
}

function stretchesIn(
  suspect: Suspect,
  { run, plan, candidates, limit }: Lookup,
): Stretch[] | Promise<Stretch[]> {
  const { segment: id, number } = suspect.entry;
  if (id === IN_GIT) return stretchesInGit(suspect, run, plan, limit);
  const within = candidates.get(id)!;
  return run.view.within(id, (segment) => segment.stretches(number, plan, within, { limit }));
}

async function stretchesInGit(
  { corpus, entry }: Suspect,
  run: SearchRun,
  plan: SearchPlan,
  limit: number,
): Promise<Stretch[]> {
  const found: Stretch[] = [];
  if (run.budget.spent()) return found;
  const { oid } = run.view.store.blob(entry.blob);
  for await (const stretch of scanBlob({ repository: corpus.repository, oid }, plan, run.budget)) {
    run.checkStop();
    if (found.push(stretch) === limit) break;
  }
  return found;
}

/** Few candidates are followed to their paths; with many, the paths are walked and the candidates asked about each. */
function suspects(run: SearchRun, plan: SearchPlan, candidates: CandidatesBySegment): Iterable<Suspect> {
  const selection = pathSelection(run.query.filters.map(filterTest));
  let chunks = 0;
  for (const { chunks: more } of candidates.values()) chunks += more;
  if (chunks * LOOKUP_COST < walkCost(run)) {
    const found = lookUp(run, plan, candidates, selection);
    if (found) return found;
  }
  return walk(run, candidates, selection);
}

/** Loading counts in full where the tables would drive each other out. */
function walkCost({ view, corpora }: SearchRun): number {
  let loaded = 0;
  let absent = 0;
  for (const { id, files } of corpora) {
    if (view.tables.has(id)) loaded += files;
    else absent += files;
  }
  const stay = (loaded + absent) * PATH_BYTES < view.tables.maxBytes;
  return (loaded + absent) * WALK_COST + (absent * LOAD_COST) / (stay ? TABLE_USES : 1);
}

/** From each candidate to its paths. Null when there are too many. */
function lookUp(
  { view, corpora, checkStop }: SearchRun,
  plan: SearchPlan,
  candidates: CandidatesBySegment,
  selection: PathSelection,
): Suspect[] | null {
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
  return found.map(({ rank, entry }) => ({ corpus: corpora[rank]!, entry }));
}

/** Through all paths, corpus by corpus. */
function* walk(
  run: SearchRun,
  candidates: CandidatesBySegment,
  selection: PathSelection,
): Generator<Suspect> {
  for (const corpus of run.corpora) {
    const table = run.view.tables.get(corpus);
    for (let index = 0; index < table.length; index++) {
      if (index % STRIDE === 0) run.checkStop();
      const segment = table.segment(index);
      if (segment !== IN_GIT && !candidates.get(segment)?.has(table.number(index))) continue;
      const selected = selection.next(table, index);
      if (selected > index) {
        index = selected - 1; // which may be no candidate
        continue;
      }
      const entry = {
        path: table.path(index),
        blob: table.blob(index),
        segment,
        number: table.number(index),
      };
      yield { corpus, entry };
    }
  }
}
