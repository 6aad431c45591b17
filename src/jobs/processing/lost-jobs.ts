import type { Core } from '../../core/core.ts';
import { finishJob } from './finish-job.ts';
import { silentJobIds, unwantedJobIds } from './watch-store.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 100;
/** GitLab's: after this a runner that tells nothing of its job has lost it. */
const SILENT_MS = 3600_000;
/** GitLab's: after this no runner will come for a job any more. */
const UNWANTED_MS = 24 * 3600_000;

/**
 * Ends jobs that nobody will ever end: their runner is gone, or none ever came for them. Such a job is `failed` with
 * `stuck_or_timeout_failure`, or `canceled` where it was being cancelled. Every process looks; `finishJob` settles who was first.
 */
export class LostJobs {
  readonly #core: Pick<Core, 'database' | 'db' | 'events' | 'clock' | 'log'>;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(core: Pick<Core, 'database' | 'db' | 'events' | 'clock' | 'log'>) {
    this.#core = core;
  }

  start(): void {
    this.#timer = setInterval(() => this.#runInBackground(), EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#turn;
  }

  /** Ends all of them that there are now. Returns how many. */
  async run(): Promise<number> {
    const { db, clock } = this.#core;
    const now = clock.now();
    const silent = await this.#endAll(() => silentJobIds(db, now - SILENT_MS, AT_ONCE));
    return silent + (await this.#endAll(() => unwantedJobIds(db, now - UNWANTED_MS, AT_ONCE)));
  }

  async #endAll(find: () => Promise<number[]>): Promise<number> {
    let ended = 0;
    for (;;) {
      const ids = await find();
      let inVain = 0;
      for (const id of ids) if (!(await this.#end(id))) inVain++;
      ended += ids.length - inVain;
      // those that could not be ended would be found again at once
      if (ids.length < AT_ONCE || inVain > 0) return ended;
    }
  }

  async #end(id: number): Promise<boolean> {
    const { database, log } = this.#core;
    const outcome = { status: 'failed' as const, failureReason: 'stuck_or_timeout_failure' };
    try {
      await database.transaction((tx) => finishJob(tx, this.#core, id, outcome), {
        isolation: 'read committed',
      });
      log.info({ job: id }, 'a job that nobody would have ended was ended');
      return true;
    } catch (error) {
      log.warn({ err: error, job: id }, 'a lost job could not be ended, trying again');
      return false;
    }
  }

  #runInBackground(): void {
    this.#turn = this.#turn.then(async () => {
      try {
        await this.run();
      } catch (error) {
        this.#core.log.warn({ err: error }, 'lost jobs could not be looked for, trying again');
      }
    });
  }
}
