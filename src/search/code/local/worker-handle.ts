import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../platform/thread.ts';
import type { FromWorker, Notice, ToWorker } from './messages.ts';

export interface WorkerSettings {
  file: URL;
  /** Asked for each time that a thread begins. */
  data: () => unknown;
  /** Without a call for so long the thread ends and gives its memory back; the next call starts another. */
  idleMs: () => number;
  maxYoungMb: number;
  onNotice: (message: Notice) => void;
  /** No call goes to the thread any more: it has ended, or does. The next call begins another. */
  onEnd?: () => void;
}

export interface CallOptions<Progress> {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

interface Pending<Result, Progress> extends CallOptions<Progress> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The thread is closed, or it died. */
export class WorkerGone extends Error {
  override name = 'WorkerGone';
}

/** A worker thread that is started by its first call. It keeps the process alive only while a call is under way. */
export class WorkerHandle<Call, Result, Progress> {
  readonly #settings: WorkerSettings;
  readonly #pending = new Map<number, Pending<Result, Progress>>();
  #worker: Worker | null = null;
  /** The end of the thread before this one. */
  #ended: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  /** The thread, once it has answered. */
  #answered: Worker | null = null;
  #closed = false;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Whether the thread has answered a call: before, it loads what it needs. */
  get awake(): boolean {
    return this.#worker !== null && this.#answered === this.#worker;
  }

  /** Rejects with what the thread threw, with the signal's reason, or with WorkerGone. */
  async call(call: Call, options: CallOptions<Progress> = {}): Promise<Result> {
    options.signal?.throwIfAborted();
    while (!this.#worker && !this.#closed) {
      await this.#ended;
      if (!this.#worker && !this.#closed) this.#start();
    }
    const worker = this.#worker;
    if (!worker) throw new WorkerGone('closed');
    options.signal?.throwIfAborted(); // meanwhile
    const id = ++this.#lastId;
    const abort = () => worker.postMessage({ kind: 'abort', id } satisfies ToWorker<Call>);
    try {
      return await new Promise<Result>((resolve, reject) => {
        clearTimeout(this.#idle);
        worker.ref();
        this.#pending.set(id, { ...options, resolve, reject });
        worker.postMessage({ kind: 'call', id, call } satisfies ToWorker<Call>);
        options.signal?.addEventListener('abort', abort, { once: true });
      });
    } finally {
      options.signal?.removeEventListener('abort', abort);
    }
  }

  /** Lets the thread finish its transaction, not its work: calls that are under way reject. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(new WorkerGone('closed'));
    this.#stop();
    await this.#ended;
  }

  #start(): void {
    const { file, data, maxYoungMb } = this.#settings;
    const worker = startThread(file, data(), maxYoungMb);
    this.#worker = worker;
    const gone = Promise.withResolvers<void>();
    this.#ended = gone.promise;
    let reason: unknown = new WorkerGone(`the thread of ${file.pathname} ended`);
    worker.on('message', (message: FromWorker<Result, Progress>) => this.#receive(message));
    worker.on('error', (error) => {
      reason = error;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) {
        this.#worker = null;
        this.#failAll(reason);
        this.#settings.onEnd?.();
      }
      gone.resolve();
    });
  }

  #receive(message: FromWorker<Result, Progress>): void {
    if (message.kind === 'changed' || message.kind === 'log') {
      this.#settings.onNotice(message);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    if (message.kind === 'progress') {
      pending.onProgress?.(message.progress);
      return;
    }
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#rest();
    this.#answered = this.#worker;
    if (message.kind === 'result') pending.resolve(message.result);
    else pending.reject(message.aborted ? pending.signal?.reason : message.error);
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => this.#stop(), this.#settings.idleMs()).unref();
  }

  #stop(): void {
    clearTimeout(this.#idle);
    if (!this.#worker) return;
    this.#worker.ref(); // somebody may wait for its end
    this.#worker.postMessage({ kind: 'stop' } satisfies ToWorker<Call>);
    this.#worker = null;
    this.#settings.onEnd?.();
  }

  #failAll(reason: unknown): void {
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
  }
}
