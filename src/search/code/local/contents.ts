import type { Candidates } from '../segment/candidates.ts';
import { compilePlan, type SearchPlan } from '../segment/plan.ts';
import type { Stretch } from '../segment/stretches.ts';
import { scanBlob } from './oversized.ts';
import { IN_GIT, type PathEntry } from './path-table.ts';
import { decodePath, type Found, type SearchRun } from './searcher.ts';
import { type CandidatesBySegment, type Suspect, suspects } from './suspects.ts';

/** Hits in lines of files, lazily, in the order asked for. */
export async function* searchContents(run: SearchRun): AsyncGenerator<Found> {
  const { view, query } = run;
  const plan = compilePlan(query.pattern);
  const candidates = new Map<number, Candidates>();
  let chunks = 0;
  for (const id of view.segments().keys()) {
    const found = view.within(id, (segment) => segment.candidates(plan));
    if (found.chunks > 0) candidates.set(id, found);
    chunks += found.chunks;
    run.checkStop();
  }
  run.share.begin(chunks);
  let left = query.limit;
  for (const suspect of suspects(run, plan, candidates)) {
    run.checkStop();
    const { corpus, entry, position } = suspect;
    if (run.share.enough(position, query.limit)) return;
    const stretches = await stretchesIn(suspect, { run, plan, candidates, limit: left });
    if (stretches.length === 0) continue;
    left -= stretches.length;
    run.share.found(position, stretches.length);
    const file = { corpus: corpus.name, path: decodePath(entry.path), blob: oidOf(run, entry) };
    for (const { startLine, data } of stretches)
      yield { path: entry.path, hit: { ...file, startLine, data } };
  }
}

function oidOf({ view }: SearchRun, { segment, number, blob }: PathEntry): string {
  if (segment === IN_GIT) return view.store.blob(blob).oid;
  return view.within(segment, (opened) => opened.oidOf(number));
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
