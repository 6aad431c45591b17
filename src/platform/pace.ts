import { setTimeout as sleep } from 'node:timers/promises';

/** What waits for another machine holds no event loop, and need not be paid for. */
const MAX_PAUSE_MS = 5;

/**
 * Work in the background, one piece after the other, each followed by a pause as long as it took: whoever calls the service
 * meanwhile has half of the event loop, and waits for one piece at most.
 */
export class Pace {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when the work is done; the pause is for whoever comes next. */
  run<T>(work: () => Promise<T>): Promise<T> {
    let took = 0;
    const done = this.#last.then(async () => {
      const began = performance.now();
      try {
        return await work();
      } finally {
        took = performance.now() - began;
      }
    });
    const pause = () => sleep(Math.min(took, MAX_PAUSE_MS));
    this.#last = done.then(pause, pause);
    return done;
  }
}
