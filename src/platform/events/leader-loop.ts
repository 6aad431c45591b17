import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { LeaderTask } from '../leader-task.ts';
import type { Log } from '../log.ts';
import type { Dispatcher } from './dispatcher.ts';
import { dueLanes, nextDueAt, pendingLanes, placeEvents } from './store.ts';

export interface LeaderLoopOptions {
  database: Database;
  clock: Clock;
  log: Log;
  dispatcher: Dispatcher;
  subscribersOf: (type: string) => string[];
  pollMs: number;
}

/** One transaction each; SQLite takes 2 ms for so many. */
const PLACED_AT_ONCE = 200;

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

  async idle(): Promise<void> {
    do {
      await this.#task.underWay; // may have begun before what is waited for
      this.#found = false;
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
    const { database, clock, dispatcher } = this.#options;
    dispatcher.activateStalled();
    const due = await dueLanes(database.db, clock.now());
    for (const lane of due) dispatcher.activate(lane);
    const placed = await this.#place();
    this.#found = placed > 0 || due.length > 0;
    const at = await nextDueAt(database.db);
    return at === null ? null : at - clock.now();
  }

  /** Gives the events that became visible their places in the log, and their deliveries to the dispatcher. Returns how many. */
  async #place(): Promise<number> {
    const { database, dispatcher, subscribersOf } = this.#options;
    let placed = 0;
    for (;;) {
      const events = await placeEvents(database, PLACED_AT_ONCE);
      for (const { type, stream } of events) {
        for (const subscriber of subscribersOf(type)) dispatcher.activate({ subscriber, stream });
      }
      placed += events.length;
      if (events.length < PLACED_AT_ONCE || this.#stopped) return placed;
    }
  }
}
