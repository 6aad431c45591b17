import type { Core } from '../../core/core.ts';
import { enqueueJob } from './enqueue.ts';
import { withJob } from './locked-job.ts';
import { processPipeline } from './process-pipeline.ts';
import { dueJobIds, nextDueAt } from './watch-store.ts';

/** What the start of a job that another process has scheduled may be late by. */
const POLL_MS = 5_000;
const AT_ONCE = 100;

/**
 * Offers delayed jobs to the runners when their time has come, also after a restart. Every process does; the lock on the pipeline
 * makes the second one find nothing left to do.
 */
export class DelayedJobs {
  readonly #core: Pick<Core, 'database' | 'db' | 'events' | 'clock' | 'log'>;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #running = false;

  constructor(core: Pick<Core, 'database' | 'db' | 'events' | 'clock' | 'log'>) {
    this.#core = core;
    core.events.witness(['job.updated'], ({ payload }) => {
      if (payload.status === 'scheduled') this.#wake();
    });
  }

  start(): void {
    this.#running = true;
    this.#wake();
  }

  async close(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    await this.#turn;
  }

  /** Begins all that are due now. A job that cannot be begun is tried again the next time. */
  async run(): Promise<void> {
    const { db, clock } = this.#core;
    for (;;) {
      const ids = await dueJobIds(db, clock.now(), AT_ONCE);
      let inVain = 0;
      for (const id of ids) if (!(await this.#begin(id))) inVain++;
      // those that could not begin would be found again at once
      if (ids.length < AT_ONCE || inVain > 0) return;
    }
  }

  async #begin(id: number): Promise<boolean> {
    const { database, clock, log } = this.#core;
    try {
      await withJob(database, id, async (tx, job) => {
        if (job.status !== 'scheduled' || (job.scheduled_at ?? 0) > clock.now()) return;
        await enqueueJob(tx, this.#core, job);
        await processPipeline(tx, this.#core, job.pipeline_id);
      });
      return true;
    } catch (error) {
      log.warn({ err: error, job: id }, 'a delayed job could not begin, trying again');
      return false;
    }
  }

  #wake(): void {
    if (!this.#running) return;
    clearTimeout(this.#timer);
    this.#turn = this.#turn.then(() => this.#takeTurn());
  }

  async #takeTurn(): Promise<void> {
    if (!this.#running) return;
    let waitMs = POLL_MS;
    try {
      await this.run();
      const next = await nextDueAt(this.#core.db);
      // one that is due and still there has failed just now
      if (next !== null && next > this.#core.clock.now())
        waitMs = Math.min(POLL_MS, next - this.#core.clock.now());
    } catch (error) {
      this.#core.log.warn({ err: error }, 'delayed jobs could not be looked for, trying again');
    }
    clearTimeout(this.#timer);
    if (this.#running) this.#timer = setTimeout(() => this.#wake(), Math.max(waitMs, 1)).unref();
  }
}
