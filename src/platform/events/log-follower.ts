import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { EventType, LoggedEvent } from './event.ts';
import type { Events } from './events.ts';

export interface LogFollowerOptions<T extends EventType> {
  events: Pick<Events, 'readSince'>;
  log: Log;
  types: readonly T[];
  /** Gets every event of these types, in the log's order. */
  tell: (event: LoggedEvent<T>) => void;
  /** Who follows, for the line that says that the database is away. */
  name: string;
}

const BATCH = 200;
const POLL_MS = 1000;

/**
 * Tells of what all processes do, by the log, up to a second later. For what each process must know for itself (its own index, its
 * own waiting runners); a subscription would reach only the one that leads.
 */
export class LogFollower<T extends EventType> {
  readonly #options: LogFollowerOptions<T>;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();

  constructor(options: LogFollowerOptions<T>) {
    this.#options = options;
  }

  /** From what comes after `position` on. */
  start(position: number): void {
    this.#following = this.#follow(position);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  async #follow(from: number): Promise<void> {
    const { signal } = this.#stop;
    let position = from;
    while (!signal.aborted) {
      const read = await this.#read(position);
      for (const event of read) this.#options.tell(event);
      position = read.at(-1)?.position ?? position;
      if (read.length === BATCH) continue;
      await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => {}); // ended by stop, which the loop sees
    }
  }

  /** A database that is away is back later; nothing is passed over. */
  async #read(position: number): Promise<LoggedEvent<T>[]> {
    const { events, log, types, name } = this.#options;
    try {
      return await events.readSince(position, types, BATCH);
    } catch (error) {
      if (!this.#stop.signal.aborted)
        log.warn({ err: error, follower: name }, 'the event log cannot be read');
      return [];
    }
  }
}
