import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { type Leadership, tryLeader } from '../db/locks.ts';
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
  #leadership: Leadership | null = null;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<boolean> | undefined;
  #wokenMeanwhile = false;
  #running = false;

  constructor(options: LeaderLoopOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#running = true;
    await this.#nextTurn();
  }

  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    await this.#turn;
    await this.#options.dispatcher.pause();
    await this.#leadership?.release();
    this.#leadership = null;
  }

  /** Means nothing where another process leads: that one polls. */
  wake(): void {
    if (!this.#running || !this.#leadership) return;
    if (this.#turn) this.#wokenMeanwhile = true;
    else void this.#nextTurn();
  }

  async idle(): Promise<void> {
    for (;;) {
      await this.#turn;
      const found = await this.#nextTurn();
      await this.#options.dispatcher.drained();
      if (!found && !this.#turn) return;
    }
  }

  /** One turn at a time. Resolves to whether it found something to do. */
  #nextTurn(): Promise<boolean> {
    if (!this.#running) return Promise.resolve(false);
    clearTimeout(this.#timer);
    this.#turn ??= this.#takeTurn().finally(() => {
      this.#turn = undefined;
      if (this.#wokenMeanwhile) this.wake();
    });
    return this.#turn;
  }

  async #takeTurn(): Promise<boolean> {
    this.#wokenMeanwhile = false;
    let found = false;
    let waitMs = this.#options.pollMs;
    try {
      if (await this.#lead()) {
        found = await this.#findWork();
        waitMs = await this.#untilNextDue();
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'the outbox could not be read, trying again');
    }
    if (this.#running) this.#timer = setTimeout(() => void this.#nextTurn(), waitMs);
    return found;
  }

  async #lead(): Promise<boolean> {
    if (this.#leadership && !this.#leadership.lost.aborted) return true;
    if (this.#leadership) {
      this.#leadership = null;
      await this.#options.dispatcher.pause();
    }
    this.#leadership = await tryLeader(this.#options.database, 'events');
    if (!this.#leadership) return false;
    this.#options.dispatcher.resume();
    await this.#takeOver();
    return true;
  }

  /** What another leader, or this process before a crash, left unfinished. */
  async #takeOver(): Promise<void> {
    for (const lane of await pendingLanes(this.#options.database.db)) this.#options.dispatcher.activate(lane);
  }

  async #findWork(): Promise<boolean> {
    const { database, clock, dispatcher, subscribersOf } = this.#options;
    dispatcher.activateStalled();
    const due = await dueLanes(database.db, clock.now());
    for (const lane of due) dispatcher.activate(lane);
    let placed = 0;
    for (;;) {
      const events = await placeEvents(database, PLACED_AT_ONCE);
      for (const { type, stream } of events) {
        for (const subscriber of subscribersOf(type)) dispatcher.activate({ subscriber, stream });
      }
      placed += events.length;
      if (events.length < PLACED_AT_ONCE || !this.#running) break;
    }
    return placed > 0 || due.length > 0;
  }

  async #untilNextDue(): Promise<number> {
    const { database, clock, pollMs } = this.#options;
    const at = await nextDueAt(database.db);
    return at === null ? pollMs : Math.max(1, Math.min(pollMs, at - clock.now()));
  }
}
