import { fail } from '../platform/errors.ts';

interface Waiting {
  start: () => void;
  timer: NodeJS.Timeout;
}

/** A bound on how many of something run at once. The rest wait in order; what waits too long answers 503 with Retry-After. */
export class Places {
  readonly #size: number;
  readonly #maxWaitMs: number;
  readonly #queue: Waiting[] = [];
  #taken = 0;

  constructor(size: number, maxWaitMs: number) {
    this.#size = size;
    this.#maxWaitMs = maxWaitMs;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Waits for a free place and returns the function that gives it back; calling that twice does no harm. */
  acquire(signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#taken < this.#size) return Promise.resolve(this.#take());
    return this.#wait(signal);
  }

  #take(): () => void {
    this.#taken++;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#taken--;
      this.#queue.shift()?.start();
    };
  }

  #wait(signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        clearTimeout(entry.timer);
        signal?.removeEventListener('abort', abort);
        const at = this.#queue.indexOf(entry);
        if (at >= 0) this.#queue.splice(at, 1);
        reject(reason);
      };
      const abort = () => leave(signal?.reason);
      const entry: Waiting = {
        start: () => {
          clearTimeout(entry.timer);
          signal?.removeEventListener('abort', abort);
          resolve(this.#take());
        },
        timer: setTimeout(() => leave(fail.unavailable(5)), this.#maxWaitMs),
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#queue.push(entry);
    });
  }
}
