import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { LeaderTask } from '../leader-task.ts';
import type { Log } from '../log.ts';
import type { Dispatcher } from './dispatcher.ts';
import { dueLanes, nextDueAt, PLACED_AT_ONCE, pendingLanes, placeEvents } from './store.ts';

export interface LeaderLoopOptions {
  database: Database;
  clock: Clock;
  log: Log;
  dispatcher: Dispatcher;
  subscribersOf: (type: string) => string[];
  pollMs: number;
}

/**
 * Finds out what there is to hand out, in the one process that leads. Woken by commits of this process, and by a slow
 * poll for those of others and for what failed and is due again.
 */
export class LeaderLoop {
  readonly #options: LeaderLoopOptions;
  readonly #task: LeaderTask;
  #stopped = false;
  /** Whether the last turn found something to do. */
  #found = false;
  /** When it is time to look for failed deliveries: with each commit it would be a third of what a turn takes. */
  #lookAt = 0;

  constructor(options: LeaderLoopOptions) {
    const { database, log, pollMs, dispatcher } = options;
    this.#options = options;
    this.#task = new LeaderTask({
      ...{ database, log, pollMs, name: 'events' },
      work: () => this.#work(),
      onLead: () => this.#takeOver(),
      onYield: () => dispatcher.pause(),
    });
  }

  start(): Promise<void> {
    return this.#task.start();
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.#task.stop();
  }

  wake(): void {
    this.#task.wake();
  }

  /** Something that had failed may be due sooner than was known. */
  lookAgain(): void {
    this.#lookAt = 0;
    this.wake();
  }

  async idle(): Promise<void> {
    do {
      await this.#task.underWay; // may have begun before what is waited for
      this.#found = false;
      this.#lookAt = 0;
      await this.#task.turn();
      await this.#options.dispatcher.drained();
    } while (this.#found || this.#task.underWay);
  }

  /** What another leader, or this process before a crash, left unfinished. */
  async #takeOver(): Promise<void> {
    const { database, dispatcher } = this.#options;
    const lanes = await pendingLanes(database.db);
    dispatcher.resume();
    for (const lane of lanes) dispatcher.activate(lane);
  }

  async #work(): Promise<number | null> {
    const { clock, dispatcher, pollMs } = this.#options;
    dispatcher.activateStalled();
    const early = this.#lookAt - clock.now();
    // further away it lies only for a clock that was set back
    const due = early > 0 && early <= pollMs ? 0 : await this.#findDue();
    const placed = await this.#place();
    this.#found = placed > 0 || due > 0;
    return this.#lookAt - clock.now();
  }

  /** Hands out what failed and is due again; returns how many lanes have such. */
  async #findDue(): Promise<number> {
    const { database, clock, dispatcher, pollMs } = this.#options;
    const now = clock.now();
    this.#lookAt = now + pollMs;
    const due = await dueLanes(database.db, now);
    for (const lane of due) dispatcher.activate(lane);
    const next = await nextDueAt(database.db);
    if (next !== null) this.#lookAt = Math.min(this.#lookAt, next);
    return due.length;
  }

  /** Gives the events that became visible their places in the log, and their deliveries to the dispatcher. Returns how many. */
  async #place(): Promise<number> {
    const { database, dispatcher, subscribersOf } = this.#options;
    let placed = 0;
    for (;;) {
      const events = await placeEvents(database);
      for (const { type, stream } of events) {
        for (const subscriber of subscribersOf(type)) dispatcher.activate({ subscriber, stream });
      }
      placed += events.length;
      if (events.length < PLACED_AT_ONCE || this.#stopped) return placed;
    }
  }
}
