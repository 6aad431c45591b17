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
  /** Before the first work of a leader. */
  onLead?: () => Promise<void>;
  /** Before another may lead, and when it turned out that another may. */
  onYield?: () => Promise<void>;
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

  /** Resolves when it has worked once, or has found that another process leads. */
  start(): Promise<void> {
    this.#running = true;
    return this.turn();
  }

  /** Looks for work soon; asking while it works makes it look once more. Means nothing where another process leads: that one polls. */
  wake(): void {
    if (!this.#running) return;
    if (this.#turn) this.#wokenMeanwhile = true;
    else if (this.#leadership) void this.turn();
  }

  /** The turn under way, or one that begins now. Never rejects. */
  turn(): Promise<void> {
    if (!this.#running) return Promise.resolve();
    clearTimeout(this.#timer);
    this.#turn ??= this.#takeTurn().finally(() => {
      this.#turn = null;
      if (this.#wokenMeanwhile) this.wake();
    });
    return this.#turn;
  }

  /** The turn under way; null between turns. */
  get underWay(): Promise<void> | null {
    return this.#turn;
  }

  /** Lets the work under way end; another process may lead then. It does not start again. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#turn;
    await this.#options.onYield?.();
    await this.#leadership?.release();
    this.#leadership = null;
  }

  async #takeTurn(): Promise<void> {
    const { work, log, name, pollMs = 1000 } = this.#options;
    this.#wokenMeanwhile = false;
    let waitMs = pollMs;
    try {
      if (await this.#lead())
        waitMs = Math.max(1, Math.min(pollMs, (await work(this.#stop.signal)) ?? pollMs));
    } catch (error) {
      log.error({ err: error, task: name }, 'a task failed, trying again');
    }
    if (this.#running) this.#timer = setTimeout(() => void this.turn(), waitMs);
  }

  async #lead(): Promise<boolean> {
    const { database, name, onLead, onYield } = this.#options;
    if (this.#leadership && !this.#leadership.lost.aborted) return true;
    if (this.#leadership) {
      this.#leadership = null;
      await onYield?.();
    }
    const won = await tryLeader(database, name);
    if (!won) return false;
    try {
      await onLead?.();
    } catch (error) {
      await won.release(); // the next turn begins anew
      throw error;
    }
    this.#leadership = won;
    return true;
  }
}
