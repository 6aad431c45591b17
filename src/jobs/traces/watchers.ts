/** Those who wait for more of a log, woken by pieces that come to this process. */
export class Watchers {
  readonly #waiting = new Map<number, Set<() => void>>();

  /** Resolves at the next piece, after `ms` at the latest, or when the signal fires. */
  next(jobId: number, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(jobId) ?? new Set();
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(jobId);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake, { once: true });
      this.#waiting.set(jobId, waiting.add(wake));
    });
  }

  wake(jobId: number): void {
    for (const wake of [...(this.#waiting.get(jobId) ?? [])]) wake();
  }
}
