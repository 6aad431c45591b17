import { setTimeout as sleep } from 'node:timers/promises';
import type { Core } from '../../../core/core.ts';
import type { EventTypes } from '../../../platform/events/event.ts';
import type { Waiting } from './waiting.ts';
import '../../events.ts';
import '../events.ts';

const TYPES = ['job.updated', 'runner.updated'] as const;
type Followed = {
  [T in (typeof TYPES)[number]]: { type: T; payload: EventTypes[T] };
}[(typeof TYPES)[number]];

const BATCH = 200;
const POLL_MS = 1000;

type Deps = Pick<Core, 'database' | 'events' | 'log'>;

/** Tells the runners that wait here of what happens: at once of what this process does, within a second of what others do. */
export class JobFollower {
  readonly #deps: Deps;
  readonly #waiting: Waiting;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();

  constructor(deps: Deps, waiting: Waiting) {
    this.#deps = deps;
    this.#waiting = waiting;
    deps.events.witness(TYPES, (event) => this.#tell(event as Followed));
  }

  /** Only a database that has no version of its own is shared with others. */
  async start(): Promise<void> {
    if (this.#deps.database.version() !== null) return;
    this.#following = this.#follow(await this.#deps.events.position());
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  #tell({ type, payload }: Followed): void {
    if (type === 'runner.updated') this.#waiting.look(payload.runnerId);
    else if (payload.status === 'pending') this.#waiting.offer(payload.jobId);
  }

  async #follow(from: number): Promise<void> {
    const { signal } = this.#stop;
    let position = from;
    while (!signal.aborted) {
      const read = await this.#read(position);
      for (const event of read) this.#tell(event);
      position = read.at(-1)?.position ?? position;
      if (read.length === BATCH) continue;
      await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => {}); // ended by close, which the loop sees
    }
  }

  /** A database that is away is back later; nothing is passed over. */
  async #read(position: number) {
    try {
      return await this.#deps.events.readSince(position, TYPES, BATCH);
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        this.#deps.log.warn({ err: error }, 'the runners could not be told of what other processes do');
      }
      return [];
    }
  }
}
