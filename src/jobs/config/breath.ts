import { setImmediate as othersTurn } from 'node:timers/promises';

/** Others wait no longer than this for what goes through thousands of jobs. */
const SLICE_MS = 5;

/** Lets others run in between: to be asked once for each job. */
export class Breath {
  #since = performance.now();

  async take(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return;
    await othersTurn();
    this.#since = performance.now();
  }
}
