import type { CodeHit } from '../code-index.ts';
import type { Candidates } from '../segment/candidates.ts';
import { compilePlan, type SearchPlan } from '../segment/match/plan.ts';
import type { Stretch, Stretches } from '../segment/match/stretches.ts';
import type { Help } from './help.ts';
import type { IndexView } from './index-view.ts';
import { scanBlob } from './oversized.ts';
import { IN_GIT, type PathEntry } from './path-table.ts';
import { decodePath, type Found, type SearchRun, stateOf } from './searcher.ts';
import { type CandidatesBySegment, chooseWay, type Suspect, suspects } from './suspects.ts';

/** Hits in lines of files, lazily, in the order asked for. */
export async function* searchContents(run: SearchRun): AsyncGenerator<Found> {
  const { view, query } = run;
  const plan = compilePlan(query.pattern);
  const candidates = run.help ? candidatesOf(run.help, view) : readLists(run, plan);
  const way = run.help?.way ?? chooseWay(run, candidates);
  const found = suspects(run, plan, candidates, way);
  if (run.help?.way === 'walk') loadTables(run);
  if (!run.share.join()) return;
  run.callForHelp.begin();
  let left = query.limit;
  let toShow = run.shown;
  for (const suspect of found) {
    run.checkStop();
    const { entry, position } = suspect;
    if (run.share.enough(position, query.limit)) return;
    const lookup = { run, plan, candidates, wanted: { limit: left, shown: toShow } };
    const { stretches, count } = await stretchesIn(suspect, lookup);
    run.callForHelp.consider(() => ({ way, candidates: chunksOf(candidates), state: stateOf(run) }));
    if (count === 0) continue;
    left -= count;
    toShow -= stretches.length;
    run.share.found(position, count);
    yield { path: entry.path, count, hits: hitsOf(run, suspect, stretches) };
  }
}

function readLists({ view, checkStop }: SearchRun, plan: SearchPlan): CandidatesBySegment {
  const candidates = new Map<number, Candidates>();
  for (const id of view.segments().keys()) {
    const found = view.within(id, (segment) => segment.candidates(plan));
    if (found.chunks > 0) candidates.set(id, found);
    checkStop();
  }
  return candidates;
}

const chunksOf = (candidates: CandidatesBySegment): Help['candidates'] =>
  new Map(candidates.entries().map(([id, { bitmap }]) => [id, bitmap]));

const candidatesOf = ({ candidates }: Help, view: IndexView): CandidatesBySegment =>
  new Map(
    candidates
      .entries()
      .map(([id, bitmap]) => [id, view.within(id, (segment) => segment.candidatesOf(bitmap))]),
  );

/** Before anybody waits for this thread: what the first one has in memory may still have to be read here. */
function loadTables({ view, corpora, share }: SearchRun): void {
  for (const corpus of corpora) {
    if (share.isOver) return;
    view.tables.get(corpus);
  }
}

function hitsOf(run: SearchRun, { corpus, entry }: Suspect, stretches: readonly Stretch[]): CodeHit[] {
  if (stretches.length === 0) return [];
  const file = { corpus: corpus.name, path: decodePath(entry.path), blob: oidOf(run, entry) };
  return stretches.map(({ startLine, data }) => ({ ...file, startLine, data }));
}

function oidOf({ view }: SearchRun, { segment, number, blob }: PathEntry): string {
  if (segment === IN_GIT) return view.store.blob(blob).oid;
  return view.within(segment, (opened) => opened.oidOf(number));
}

interface Lookup {
  run: SearchRun;
  plan: SearchPlan;
  candidates: CandidatesBySegment;
  wanted: { limit: number; shown: number };
}

function stretchesIn(
  suspect: Suspect,
  { run, plan, candidates, wanted }: Lookup,
): Stretches | Promise<Stretches> {
  const { segment: id, number } = suspect.entry;
  if (id === IN_GIT) return stretchesInGit(suspect, run, plan, wanted);
  const within = candidates.get(id)!;
  return run.view.within(id, (segment) => segment.stretches(number, plan, within, wanted));
}

async function stretchesInGit(
  { corpus, entry }: Suspect,
  run: SearchRun,
  plan: SearchPlan,
  { limit, shown }: Lookup['wanted'],
): Promise<Stretches> {
  const stretches: Stretch[] = [];
  let count = 0;
  if (run.budget.spent()) return { stretches, count };
  const { oid } = run.view.store.blob(entry.blob);
  for await (const stretch of scanBlob({ repository: corpus.repository, oid }, plan, run.budget)) {
    run.checkStop();
    if (stretches.length < shown) stretches.push(stretch);
    if (++count === limit) break;
  }
  return { stretches, count };
}
