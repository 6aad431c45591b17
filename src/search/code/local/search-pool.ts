import { type CodeAnswer, CodeIndexBusy, type CodeQuery, InvalidPattern } from '../code-index.ts';
import type { SearchCall, SearchResult } from './messages.ts';
import type { SearchWorkerData } from './search-worker.ts';
import { WorkerHandle, type WorkerSettings } from './worker-handle.ts';

export interface SearchPoolOptions {
  data: SearchWorkerData;
  workers: number;
  /** Searches that may wait for a thread. */
  maxWaiting: number;
  idleMs: number;
  onNotice: WorkerSettings['onNotice'];
  /** Takes the segment out of the index. */
  dropSegment: (segment: number, message: string) => Promise<void>;
}

/** Each damaged segment costs a search one more attempt. */
const MAX_ATTEMPTS = 10;

/** Search threads, each with one search at a time, and the queue in front of them. */
export class SearchPool {
  readonly #options: SearchPoolOptions;
  readonly #workers: WorkerHandle<SearchCall, SearchResult>[];
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #closed = false;

  constructor(options: SearchPoolOptions) {
    this.#options = options;
    this.#workers = Array.from({ length: options.workers }, () => {
      const { idleMs, onNotice, data } = options;
      const file = new URL('./search-worker.ts', import.meta.url);
      return new WorkerHandle({ file, data, idleMs, onNotice, maxYoungMb: 2 });
    });
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Throws CodeIndexBusy, InvalidPattern, and the signal's reason. */
  async search(query: CodeQuery, signal?: AbortSignal): Promise<CodeAnswer> {
    await this.#turn(signal);
    try {
      for (let attempt = 1; ; attempt++) {
        const result = await this.#ask(query, signal);
        if (result.kind === 'answer') return result.answer;
        if (result.kind === 'invalid-pattern') throw new InvalidPattern(result.message);
        if (result.kind === 'stopped') throw signal?.reason ?? new Error('the search was stopped');
        if (attempt === MAX_ATTEMPTS) throw new Error(result.message);
        await this.#options.dropSegment(result.segment, result.message);
      }
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#closed) throw new Error('the code index is closed');
    if (this.#running < this.#workers.length) {
      this.#running++;
      return;
    }
    await this.#wait(signal); // and then has the place of the search that ended
    if (this.#closed) throw new Error('the code index is closed');
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#options.maxWaiting)
      throw new CodeIndexBusy(`${this.#waiting.length} searches wait already`);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(wake);
    });
  }

  async #ask(query: CodeQuery, signal: AbortSignal | undefined): Promise<SearchResult> {
    const worker = this.#workers.find(({ pending }) => pending === 0)!;
    const stop = new SharedArrayBuffer(4);
    // The thread is busy searching: a message would reach it too late.
    const abort = () => Atomics.store(new Int32Array(stop), 0, 1);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await worker.call({ query, stop });
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }
}
