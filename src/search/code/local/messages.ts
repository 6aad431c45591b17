import type { CodeQuery, CorpusName, CorpusState } from '../code-index.ts';
import type { Help } from './help.ts';
import type { PartAnswer } from './searcher.ts';
import type { PartOfSearch } from './share.ts';
import type { SignatureMemory } from './shared-signatures.ts';
import type { Totals } from './store.ts';

/** What the threads of the index tell each other. Every call has a number, and one answer under it. */

/** Main thread to the index thread. */
export type IndexCall =
  | { kind: 'update'; corpus: CorpusName; state: CorpusState }
  | { kind: 'remove'; corpora: readonly CorpusName[] }
  /** A search found it unreadable. */
  | { kind: 'drop-segment'; segment: number };

/** What a call of the index thread changed. */
export interface IndexResult {
  totals: Totals;
  /** Corpora that are no longer there. */
  gone: readonly CorpusName[];
}

/** Main thread to a search thread. */
export interface SearchCall extends PartOfSearch {
  query: CodeQuery;
  /** With it the thread helps another one. */
  help?: Help;
  /** Where it is another one than the thread knows. */
  signatures?: SignatureMemory;
  /** From now on the thread goes behind those that serve other requests. Said once. */
  crowded?: true;
}

export type SearchResult =
  /** `helped`: others have taken part, and what they found belongs to it. */
  | { kind: 'answer'; answer: PartAnswer; helped: boolean }
  | { kind: 'stopped' }
  /** Another state of the index came in between. */
  | { kind: 'changed' }
  | { kind: 'invalid-pattern'; message: string }
  /** Nothing can be said before this segment is out of the way. */
  | { kind: 'damaged'; segment: number; message: string };

export type ToWorker<Call> =
  | { kind: 'call'; id: number; call: Call }
  | { kind: 'abort'; id: number }
  /** Finish what is under way and end. */
  | { kind: 'stop' };

export type FromWorker<Result, Progress> =
  | { kind: 'result'; id: number; result: Result }
  | { kind: 'failed'; id: number; error: unknown; aborted: boolean }
  /** Of a call that is under way. */
  | { kind: 'progress'; id: number; progress: Progress }
  | Notice;

/** What answers no call. */
export type Notice =
  /** Changed without being asked: a merge in the background. */
  | { kind: 'changed'; changed: IndexResult }
  | { kind: 'log'; level: 'info' | 'warn'; message: string; details: Record<string, unknown> };
