import type { Core } from '../../core/core.ts';
import { revokeJobTokens } from '../../core/tokens/job-tokens.ts';
import { takeBackUnconfirmed } from './job-runs-store.ts';
import type { Waiting } from './queue/waiting.ts';

/** A runner that was given a job and confirms nothing for so long has never got it, or has died. */
const PATIENCE_MS = 5 * 60_000;
const EVERY_MS = 60_000;

/** Puts jobs back into the queue that runners were given and never confirmed. Every process does: one statement a minute. */
export class TakeBack {
  readonly #core: Pick<Core, 'database' | 'clock' | 'log'>;
  readonly #waiting: Waiting;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(core: Pick<Core, 'database' | 'clock' | 'log'>, waiting: Waiting) {
    this.#core = core;
    this.#waiting = waiting;
  }

  start(): void {
    this.#timer = setInterval(() => this.#runInBackground(), EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async run(): Promise<void> {
    const { database, clock } = this.#core;
    const ids = await database.transaction(async (tx) => {
      const taken = await takeBackUnconfirmed(tx, clock.now() - PATIENCE_MS);
      for (const id of taken) await revokeJobTokens(tx, id);
      return taken;
    });
    for (const id of ids) this.#waiting.offer(id);
  }

  #runInBackground(): void {
    this.#running = this.run().catch((error: unknown) =>
      this.#core.log.warn({ err: error }, 'jobs that were never confirmed could not be taken back'),
    );
  }
}
