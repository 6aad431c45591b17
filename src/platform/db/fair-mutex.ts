import { Busy } from './errors.ts';

interface Waiter {
  wake: () => void;
  refuse: (reason: Busy) => void;
  timer: NodeJS.Timeout;
}

/**
 * Lets one holder in at a time, in the order of arrival. The queue is bounded in length and in time: who would wait
 * longer is refused with `Busy` instead of piling up. That also turns the mistake of writing through the database
 * inside a transaction (which waits for itself) into an error.
 */
export class FairMutex {
  readonly #waiting: Waiter[] = [];
  readonly #maxWaiting: number;
  readonly #maxWaitMs: number;
  #held = false;

  constructor(limits: { maxWaiting: number; maxWaitMs: number }) {
    this.#maxWaiting = limits.maxWaiting;
    this.#maxWaitMs = limits.maxWaitMs;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  /** Takes the mutex when it is free this instant. */
  tryAcquire(): boolean {
    if (this.#held) return false;
    this.#held = true;
    return true;
  }

  /** Resolves once the caller holds the mutex; whoever acquires must `release` exactly once. */
  async acquire(): Promise<void> {
    if (this.tryAcquire()) return;
    if (this.#waiting.length >= this.#maxWaiting) throw new Busy('lock', 'too many writers are waiting');
    await new Promise<void>((wake, refuse) => {
      const waiter: Waiter = { wake, refuse, timer: setTimeout(() => this.#giveUp(waiter), this.#maxWaitMs) };
      this.#waiting.push(waiter);
    });
  }

  release(): void {
    const next = this.#waiting.shift();
    if (!next) {
      this.#held = false;
      return;
    }
    clearTimeout(next.timer);
    next.wake();
  }

  #giveUp(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    waiter.refuse(new Busy('lock', `waited over ${this.#maxWaitMs} ms for the writer`));
  }
}
