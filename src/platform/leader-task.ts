import type { Database } from './db/database.ts';
import { type Leadership, tryLeader } from './db/locks.ts';
import type { Log } from './log.ts';

export interface LeaderTaskOptions {
  database: Database;
  log: Log;
  /** Processes agree by it on who leads. */
  name: string;
  /**
   * Does what is due, and says in how many ms something is due next; null when nothing is known to be. The signal asks long work
   * to leave the rest for later.
   */
  work: (stop: AbortSignal) => Promise<number | null>;
  /** What it waits at most: what others have written shows then. 1 second. */
  pollMs?: number;
}

/**
 * Work that comes up again and again and that one of several processes does. It is done when somebody wakes it, when something is
 * due, and every now and then for what other processes have written. A failure is logged, and it goes on.
 */
export class LeaderTask {
  readonly #options: LeaderTaskOptions;
  #leadership: Leadership | null = null;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | null = null;
  #wokenMeanwhile = false;
  #running = false;
  readonly #stop = new AbortController();

  constructor(options: LeaderTaskOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.wake();
  }

  /** Looks for work soon; asking while it works makes it look once more. */
  wake(): void {
    if (!this.#running) return;
    if (this.#turn !== null) {
      this.#wokenMeanwhile = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#wokenMeanwhile = false;
    this.#turn = this.#takeTurn().finally(() => {
      this.#turn = null;
      if (this.#wokenMeanwhile) this.wake();
    });
  }

  /** Lets the work under way end; another process may lead then. It does not start again. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#turn;
    await this.#leadership?.release();
    this.#leadership = null;
  }

  async #takeTurn(): Promise<void> {
    const { work, log, name, pollMs = 1000 } = this.#options;
    let waitMs = pollMs;
    try {
      if (await this.#lead())
        waitMs = Math.max(1, Math.min(pollMs, (await work(this.#stop.signal)) ?? pollMs));
    } catch (error) {
      log.error({ err: error, task: name }, 'a task failed, trying again');
    }
    if (this.#running) this.#timer = setTimeout(() => this.wake(), waitMs);
  }

  async #lead(): Promise<boolean> {
    if (this.#leadership && !this.#leadership.lost.aborted) return true;
    this.#leadership = await tryLeader(this.#options.database, this.#options.name);
    return this.#leadership !== null;
  }
}
