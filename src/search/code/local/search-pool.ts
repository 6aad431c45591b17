import { type CodeAnswer, CodeIndexBusy, type CodeQuery, contentsOf, InvalidPattern } from '../code-index.ts';
import type { Help } from './help.ts';
import { joinParts } from './join-parts.ts';
import type { SearchCall, SearchResult } from './messages.ts';
import type { SearchWorkerData, SearchWorkerStart } from './search-worker.ts';
import { sharedMemory, stopSearch } from './share.ts';
import type { SharedSignatures } from './shared-signatures.ts';
import { ThreadNews } from './thread-news.ts';
import { WorkerHandle, type WorkerSettings } from './worker-handle.ts';

export interface SearchPoolOptions {
  data: SearchWorkerData;
  signatures: SharedSignatures;
  workers: number;
  /** Whether the index is so large that more than one thread is worth its memory. */
  isLarge: () => boolean;
  /** Searches that may wait for a thread. */
  maxWaiting: number;
  idleMs: () => number;
  onNotice: WorkerSettings['onNotice'];
  /** Takes the segment out of the index. */
  dropSegment: (segment: number, message: string) => Promise<void>;
}

/** Each damaged segment costs a search one more attempt, and so does a change that comes in between. */
const MAX_ATTEMPTS = 10;

type SearchThread = WorkerHandle<SearchCall, SearchResult, Help>;

/**
 * Search threads, each with one search at a time, and the queue in front of them. When a search takes long its thread asks for help,
 * and all others that have nothing to do then take part. With others behind it, one thread for each search gets more done.
 */
export class SearchPool {
  readonly #options: SearchPoolOptions;
  readonly #threads: SearchThread[];
  readonly #busy = new Set<SearchThread>();
  readonly #news: ThreadNews<SearchThread>;
  readonly #waiting: ((thread: SearchThread | null) => void)[] = [];
  #closed = false;

  constructor(options: SearchPoolOptions) {
    this.#options = options;
    this.#news = new ThreadNews(options.signatures);
    this.#threads = Array.from({ length: options.workers }, () => {
      const { idleMs, onNotice, data } = options;
      const thread: SearchThread = new WorkerHandle({
        file: new URL('./search-worker.ts', import.meta.url),
        data: (): SearchWorkerStart => ({ ...data, ...this.#news.begin(thread) }),
        onEnd: () => this.#news.end(thread),
        idleMs,
        onNotice,
        maxYoungMb: 2,
      });
      return thread;
    });
  }

  /** Has the threads ready for searches in these corpora: started, with what they need in memory. */
  async wake(corpora: CodeQuery['corpora']): Promise<void> {
    await Promise.all(this.#free().map((thread) => this.#wake(thread, corpora)));
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Throws CodeIndexBusy, InvalidPattern, and the signal's reason. */
  async search(query: CodeQuery, signal?: AbortSignal): Promise<CodeAnswer> {
    const thread = await this.#take(signal);
    try {
      for (let attempt = 1; ; attempt++) {
        // Alone it sees one state, whatever is pushed meanwhile.
        const results = await this.#ask(thread, query, { mayBeHelped: attempt === 1, signal });
        const answers = results.filter((result) => result.kind === 'answer');
        const [first, ...others] = answers.map(({ answer }) => answer);
        if (first && answers.length === results.length) return joinParts([first, ...others], query);
        await this.#overcome(results, attempt, signal);
      }
    } finally {
      this.#give(thread);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake(null);
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /** After this the search may be tried again. */
  async #overcome(
    results: readonly SearchResult[],
    attempt: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (const result of results) {
      if (result.kind === 'invalid-pattern') throw new InvalidPattern(result.message);
      if (result.kind === 'changed' && attempt < MAX_ATTEMPTS) return;
      if (result.kind !== 'damaged') continue;
      if (attempt === MAX_ATTEMPTS) throw new Error(result.message);
      return this.#options.dropSegment(result.segment, result.message);
    }
    throw signal?.reason ?? new Error('the search was stopped');
  }

  async #take(signal: AbortSignal | undefined): Promise<SearchThread> {
    signal?.throwIfAborted();
    if (this.#closed) throw new Error('the code index is closed');
    const free = this.#free();
    const thread = free.find(({ awake }) => awake) ?? free[0];
    if (!thread) return this.#wait(signal);
    this.#busy.add(thread);
    return thread;
  }

  /** Threads that have nothing to do. Those that sleep are woken, for the next search. */
  #takeHelpers(corpora: CodeQuery['corpora']): SearchThread[] {
    const free = this.#free();
    for (const thread of free) if (!thread.awake) void this.#wake(thread, corpora);
    const awake = free.filter((thread) => thread.awake);
    for (const thread of awake) this.#busy.add(thread);
    return awake;
  }

  #free(): SearchThread[] {
    return this.#inUse().filter((thread) => !this.#busy.has(thread));
  }

  #inUse(): readonly SearchThread[] {
    return this.#options.isLarge() ? this.#threads : this.#threads.slice(0, 1);
  }

  /** To begin takes a thread 0.3 s, in which the others are done: it reads what it needs, and is there for the next search. */
  async #wake(thread: SearchThread, corpora: CodeQuery['corpora']): Promise<void> {
    this.#busy.add(thread);
    const pattern = { kind: 'literal', text: 'nothing/of/this/name', caseSensitive: false } as const;
    const query = { corpora, part: 'names', pattern, filters: [], limit: 1 } as const;
    const alone = { part: 0, shared: sharedMemory(1) };
    await thread.call({ query, ...alone }).catch(() => {}); // whoever searches next is told
    this.#give(thread);
  }

  #give(thread: SearchThread): void {
    const next = this.#waiting.shift();
    if (next) next(thread);
    else this.#busy.delete(thread);
  }

  /** The thread of a search that ends. */
  async #wait(signal: AbortSignal | undefined): Promise<SearchThread> {
    if (this.#waiting.length >= this.#options.maxWaiting)
      throw new CodeIndexBusy(`${this.#waiting.length} searches wait already`);
    // More than two for each thread: who searches alone, or clicks twice, is never so many.
    if (this.#waiting.length >= this.#threads.length) this.#news.crowd();
    const { promise, resolve, reject } = Promise.withResolvers<SearchThread | null>();
    const leave = () => {
      this.#waiting.splice(this.#waiting.indexOf(wake), 1);
      reject(signal?.reason);
    };
    const wake = (thread: SearchThread | null) => {
      signal?.removeEventListener('abort', leave);
      resolve(thread);
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#waiting.push(wake);
    const thread = await promise;
    if (!thread || this.#closed) throw new Error('the code index is closed');
    return thread;
  }

  /** The thread, and when it asks for help, all that have nothing to do. When one fails the others are told to stop. */
  async #ask(
    first: SearchThread,
    query: CodeQuery,
    { mayBeHelped, signal }: { mayBeHelped: boolean; signal: AbortSignal | undefined },
  ): Promise<SearchResult[]> {
    const shared = sharedMemory(this.#threads.length);
    const stop = () => stopSearch(shared);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    const helpers: Promise<SearchResult>[] = [];
    const onProgress = (help: Help) => {
      if (!mayBeHelped) return;
      const contents = query.contents ? contentsOf(query) : query;
      for (const [at, thread] of this.#takeHelpers(query.corpora).entries()) {
        const helper = this.#askPart(thread, { query: contents, help, part: at + 1, shared });
        helpers.push(helper);
        helper.catch(() => {}).finally(() => this.#give(thread));
      }
    };
    try {
      const found = this.#askPart(first, { query, part: 0, shared }, onProgress);
      const result = await found.catch(() => null);
      if (result?.kind === 'answer' && !result.helped) return [result];
      await Promise.allSettled(helpers); // a thread that still searches is not free
      return await Promise.all([found, ...helpers]);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async #askPart(
    thread: SearchThread,
    call: SearchCall,
    onProgress?: (help: Help) => void,
  ): Promise<SearchResult> {
    let isAnswered = false;
    try {
      const result = await thread.call({ ...call, ...this.#news.tell(thread) }, { onProgress });
      isAnswered = result.kind === 'answer';
      return result;
    } finally {
      if (!isAnswered) stopSearch(call.shared);
    }
  }
}
