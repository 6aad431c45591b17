import type { Core } from '../../core/core.ts';
import { Breath } from '../config/breath.ts';
import type { JobRow } from '../tables.ts';
import { finishJob } from './finish-job.ts';
import { withJob } from './locked-job.ts';
import { UnfitJobs } from './unfit-jobs.ts';
import { silentJobIds, unwantedJobIds } from './watch-store.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 100;
/** GitLab's: after this a runner that tells nothing of its job has lost it. */
const SILENT_MS = 3600_000;
/** GitLab's: after this no runner will come for a job any more. */
const UNWANTED_MS = 24 * 3600_000;
/** GitLab's: the same where no runner is online that would. */
const UNFIT_MS = 3600_000;

/** Jobs that are to end, a few at once, and whether one of them still is to once its pipeline is locked. */
interface Lost {
  find(): Promise<number[]>;
  isLost(job: JobRow): boolean;
}

const isWaiting = ({ status, runner_id: taker }: JobRow) => status === 'pending' && taker === null;

/**
 * Ends jobs that nobody will ever end: their runner is gone, or none ever came for them. Such a job is `failed` with
 * `stuck_or_timeout_failure`, or `canceled` where it was being cancelled. Every process looks; the lock settles who was first.
 */
export class LostJobs {
  readonly #core: Pick<Core, 'database' | 'db' | 'events' | 'clock' | 'log'>;
  readonly #unfit: UnfitJobs;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | null = null;
  #closed = false;

  constructor(core: Pick<Core, 'database' | 'db' | 'events' | 'clock' | 'log'>) {
    this.#core = core;
    this.#unfit = new UnfitJobs(core);
  }

  start(): void {
    this.#startedAt = this.#core.clock.now();
    this.#timer = setInterval(() => this.#runInBackground(), EVERY_MS).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#turn;
  }

  /** Ends all of them that there are now. Returns how many. */
  async run(): Promise<number> {
    const { db, clock } = this.#core;
    const now = clock.now();
    const silent = await this.#endAll({
      find: () => silentJobIds(db, now - SILENT_MS, AT_ONCE),
      isLost: ({ status, updated_at: heard }) =>
        (status === 'running' || status === 'canceling') && heard < now - SILENT_MS,
    });
    const unwanted = await this.#endAll({
      find: () => unwantedJobIds(db, now - UNWANTED_MS, AT_ONCE),
      isLost: ({ status }) => status === 'pending',
    });
    return silent + unwanted + (await this.#endUnfit(now));
  }

  async #endUnfit(now: number): Promise<number> {
    // whoever was away while the service was is not back yet: the stock runner stays away for an hour after three failures
    if (now < this.#startedAt + UNFIT_MS) return 0;
    const wanted = { before: now - UNFIT_MS, limit: AT_ONCE };
    let ended = 0;
    for await (const group of this.#unfit.groups(wanted.before)) {
      if (this.#closed) break;
      ended += await this.#endAll({ find: () => this.#unfit.ids(group, wanted), isLost: isWaiting });
    }
    return ended;
  }

  async #endAll({ find, isLost }: Lost): Promise<number> {
    let ended = 0;
    const breath = new Breath();
    for (;;) {
      const ids = await find();
      let inVain = 0;
      for (const id of ids) {
        await breath.take();
        if (this.#closed) return ended;
        if (await this.#end(id, isLost)) ended++;
        else inVain++;
      }
      // those that could not be ended would be found again at once
      if (ids.length < AT_ONCE || inVain > 0) return ended;
    }
  }

  async #end(id: number, isLost: Lost['isLost']): Promise<boolean> {
    const { database, log } = this.#core;
    const outcome = { status: 'failed' as const, failureReason: 'stuck_or_timeout_failure' };
    try {
      const ended = await withJob(database, id, async (tx, job) => {
        if (!isLost(job)) return false;
        await finishJob(tx, this.#core, id, outcome);
        return true;
      });
      if (ended) log.info({ job: id }, 'a job that nobody would have ended was ended');
      return ended === true;
    } catch (error) {
      log.warn({ err: error, job: id }, 'a lost job could not be ended, trying again');
      return false;
    }
  }

  /** A turn with thousands to end takes longer than a minute: the next waits for it. */
  #runInBackground(): void {
    this.#turn ??= this.#takeTurn().finally(() => {
      this.#turn = null;
    });
  }

  async #takeTurn(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.#core.log.warn({ err: error }, 'lost jobs could not be looked for, trying again');
    }
  }
}
