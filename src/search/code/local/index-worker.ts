import { rmSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { Lanes } from '../../../git/lanes.ts';
import type { CorpusName, UpdateProgress } from '../code-index.ts';
import { SegmentBuilds } from './build.ts';
import { Generation } from './generation.ts';
import { Merges } from './merge.ts';
import { MergeStore } from './merge-store.ts';
import type { IndexCall, IndexResult } from './messages.ts';
import { connect, cutLog, segmentPath } from './store.ts';
import { Turns } from './turns.ts';
import { updateCorpus } from './update.ts';
import { type CallContext, serveCalls, tell } from './worker-loop.ts';
import { WriteStore } from './write-store.ts';

/** The thread that writes: the one writer of the database, with what reads git and merges behind it. */

export interface IndexWorkerData {
  dir: string;
  buildWorkers: number;
  maxBlobBytes: number;
  /** Memory of the Generation. */
  generation: SharedArrayBuffer;
}

/** Updates at once. A long build leaves places for the pushes that come meanwhile. */
const MAX_UPDATES = 4;
/** An update has one git process at a time, and seldom comes alone. */
const LANES = 2;

const { dir, buildWorkers, maxBlobBytes, generation: memory } = workerData as IndexWorkerData;
const generation = new Generation(memory);
const onCommit = () => generation.advance();
const database = connect(dir);
const store = new WriteStore(database, onCommit);
const lanes = new Lanes(LANES);
const builds = new SegmentBuilds({ dir, workers: buildWorkers, maxBlobBytes, lanes });
const turns = new Turns(MAX_UPDATES);
const segments = new MergeStore(database, onCommit);
const merges = new Merges({
  dir,
  store: segments,
  onDone: () => tell({ kind: 'changed', changed: { totals: store.totals(), gone: [] } }),
  onDamaged: (segment, message) => {
    warn('a segment of the code index is damaged and was taken out', { segment, message });
    const gone = dropSegment(segment);
    tell({ kind: 'changed', changed: { totals: store.totals(), gone } });
  },
  onFailure: (error) => warn('merging segments of the code index failed', { err: String(error) }),
});

serveCalls<IndexCall, IndexResult, UpdateProgress>({
  async handle(call, options) {
    const gone = await run(call, options);
    cutLog(database, dir);
    merges.consider();
    return { totals: store.totals(), gone };
  },
  async close() {
    await merges.close();
    lanes.close();
    database.close();
  },
});

async function run(
  call: IndexCall,
  { signal, progress }: CallContext<UpdateProgress>,
): Promise<CorpusName[]> {
  if (call.kind === 'update') {
    const options = {
      signal,
      progress: (files: { done: number; total: number }) => progress({ what: 'files', ...files }),
    };
    await turns.run(() => updateCorpus({ dir, store, builds, lanes }, call.corpus, call.state, options));
    return [];
  }
  if (call.kind === 'remove') {
    for (const name of call.corpora) store.remove(name);
    return [...call.corpora];
  }
  return dropSegment(call.segment);
}

function dropSegment(id: number): CorpusName[] {
  const file = segments.segments().find((segment) => segment.id === id)?.file;
  const gone = store.dropSegment(id);
  if (file !== undefined) rmSync(segmentPath(dir, file), { force: true });
  return gone as CorpusName[];
}

function warn(message: string, details: Record<string, unknown>): void {
  tell({ kind: 'log', level: 'warn', message, details });
}
