import type { Core } from '../../../core/core.ts';
import { announceDue } from './remind.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** 00:50 UTC, GitLab's hour. */
const AT_MS = 50 * MINUTE_MS;
/** Clocks are set and machines sleep: no timer is trusted for longer. */
const LONGEST_WAIT_MS = 15 * MINUTE_MS;

/**
 * Once a day, at 00:50 UTC, open issues that are due on the next day are announced. A service that was down at that time does it
 * when it starts. Of several processes whoever is first does it; the others find it done.
 */
export class DueReminders {
  readonly #core: Pick<Core, 'database' | 'events' | 'clock' | 'log'>;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  /** The day whose issues this process has announced last. */
  #done = '';

  constructor(core: Pick<Core, 'database' | 'events' | 'clock' | 'log'>) {
    this.#core = core;
  }

  start(): void {
    this.#turn = this.#takeTurn();
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#turn;
  }

  /** Looks whether it is time, now. */
  async check(): Promise<void> {
    const dueDate = dayToAnnounce(this.#core.clock.now());
    if (dueDate === this.#done) return;
    await announceDue(this.#core, dueDate, this.#stop.signal);
    if (!this.#stop.signal.aborted) this.#done = dueDate;
  }

  async #takeTurn(): Promise<void> {
    try {
      await this.check();
    } catch (error) {
      this.#core.log.error({ err: error }, 'issues that are due could not be announced, trying again');
    }
    if (this.#stop.signal.aborted) return;
    const wait = Math.min(LONGEST_WAIT_MS, untilNext(this.#core.clock.now()));
    this.#timer = setTimeout(() => {
      this.#turn = this.#takeTurn();
    }, wait).unref();
  }
}

/** The day after today; before 00:50 today itself, which was to be announced yesterday. */
export const dayToAnnounce = (now: number): string =>
  new Date(now - AT_MS + DAY_MS).toISOString().slice(0, 10);

const untilNext = (now: number): number => DAY_MS - ((((now - AT_MS) % DAY_MS) + DAY_MS) % DAY_MS);
