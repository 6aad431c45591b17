/**
 * Lets one search begin in each turn of the event loop. Answers that are known take a fraction of a millisecond; a few clients that ask for
 * nothing else would have all that the loop reads at a time, and everybody else would wait behind them.
 */
export class OneATurn {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Undefined when this turn is free: nothing is to be waited for then. */
  enter(): Promise<void> | undefined {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#take();
    return undefined;
  }

  #take(): void {
    this.#isTaken = true;
    setImmediate(() => {
      const next = this.#waiting.shift();
      this.#isTaken = false;
      if (!next) return;
      this.#take();
      next();
    });
  }
}
