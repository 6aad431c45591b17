import { workerData } from 'node:worker_threads';
import { standBack } from '../../../platform/stand-back.ts';
import { InvalidPattern } from '../code-index.ts';
import { Generation } from './generation.ts';
import { CallForHelp, type Help } from './help.ts';
import { DamagedSegment, IndexView } from './index-view.ts';
import type { SearchCall, SearchResult } from './messages.ts';
import { ReadStore, StateChanged } from './read-store.ts';
import { SearchStopped, search } from './searcher.ts';
import { Share } from './share.ts';
import type { SignatureMemory } from './shared-signatures.ts';
import { connect } from './store.ts';
import { serveCalls } from './worker-loop.ts';

/** A thread that searches, one search at a time. */

export interface SearchWorkerData {
  dir: string;
  frameBytes: number;
  tableBytes: number;
  /** A search that looks through files for longer asks for help. */
  helpAfterMs: number;
  /** Memory of the Generation. */
  generation: SharedArrayBuffer;
}

/** With what is in memory when the thread begins. */
export interface SearchWorkerStart extends SearchWorkerData {
  signatures: SignatureMemory;
}

/**
 * Once many search at a time: beside eight clients who search, the p99 of other requests is 1.5 to 2.3 times what it is alone, instead of 2.5
 * to 4.3, and a fifth fewer searches are answered. A thread cannot come forward again.
 */
const NICENESS = 10;

const { dir, generation, helpAfterMs, signatures, ...bytes } = workerData as SearchWorkerStart;
const database = connect(dir, { readOnly: true });
const store = new ReadStore(database);
const view = new IndexView({ dir, store, generation: new Generation(generation), ...bytes });
view.useSignatures(signatures);

serveCalls<SearchCall, SearchResult, Help>({
  async handle({ query, help, signatures, crowded, ...part }, { progress }) {
    if (crowded) standBack(NICENESS);
    if (signatures) view.useSignatures(signatures);
    const share = new Share(part);
    const callForHelp = help ? CallForHelp.none() : new CallForHelp(helpAfterMs, progress);
    try {
      const answer = await search(view, query, { share, help, callForHelp });
      return { kind: 'answer', answer, helped: share.end() };
    } catch (error) {
      // Classes do not survive the way between threads.
      if (error instanceof InvalidPattern) return { kind: 'invalid-pattern', message: error.message };
      if (error instanceof SearchStopped) return { kind: 'stopped' };
      if (error instanceof StateChanged) return { kind: 'changed' };
      if (error instanceof DamagedSegment)
        return { kind: 'damaged', segment: error.segment, message: error.message };
      throw error;
    }
  },
  close() {
    view.close();
    database.close();
  },
});
