import { projectSettings } from '../../../core/projects/settings.ts';
import type { Log } from '../../../platform/log.ts';
import type { RunnerRow } from '../tables.ts';
import { mayTake } from './candidates.ts';
import type { OfferedJob } from './queue-store.ts';

/** A job that is shown to one waiting runner after the other; null says only that looking is worth while. */
interface Offer {
  jobId: number | null;
  shownTo: Set<Ticket>;
}

/** What is asked of the database about an offered job. */
export interface OfferReader {
  /** Undefined once it waits no more. */
  job(id: number): Promise<OfferedJob | undefined>;
  /** The runners that a project has of its own. */
  runnersOf(projectId: number): Promise<Set<number>>;
}

/** Of one process; who comes when so many wait is answered at once and asks again. */
const MAX_WAITING = 10_000;

/**
 * The runners of this process that wait for a job. A job that begins to wait is shown to one of those that may take it, the
 * one that has waited longest; if it takes another, or none, the next is shown it. So a job wakes one runner, not hundreds,
 * and while nothing happens nothing is asked of the database.
 */
export class Waiting {
  readonly #reader: OfferReader;
  readonly #log: Log;
  /** In the order in which they came. */
  readonly #tickets = new Set<Ticket>();
  #closed = false;

  constructor(reader: OfferReader, log: Log) {
    this.#reader = reader;
    this.#log = log;
  }

  /** To be called before the queue is looked at, so that nothing comes between the look and the wait. */
  join(runner: RunnerRow): Ticket {
    const ticket = new Ticket(runner, {
      passOn: (offers) => {
        for (const offer of offers) this.#show(offer);
      },
      leave: () => {
        this.#tickets.delete(ticket);
      },
    });
    if (this.#closed || this.#tickets.size >= MAX_WAITING) ticket.end();
    else this.#tickets.add(ticket);
    return ticket;
  }

  /** A job waits. Offering it twice, or one that waits no more, costs a query. */
  offer(jobId: number): void {
    if (this.#tickets.size > 0) this.#show({ jobId, shownTo: new Set() });
  }

  /** What the runner may take has changed. */
  look(runnerId: number): void {
    for (const ticket of this.#tickets) {
      if (ticket.runner.id === runnerId) ticket.show({ jobId: null, shownTo: new Set() });
    }
  }

  /** Nobody waits any longer. */
  close(): void {
    this.#closed = true;
    for (const ticket of this.#tickets) ticket.end();
  }

  #show(offer: Offer): void {
    if (offer.jobId === null || this.#closed) return;
    this.#showNext(offer.jobId, offer).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'a job could not be shown to the runners that wait'),
    );
  }

  async #showNext(jobId: number, offer: Offer): Promise<void> {
    const job = await this.#reader.job(jobId);
    if (!job || this.#tickets.size === 0) return;
    const own = await this.#reader.runnersOf(job.projectId);
    const fitting = [...this.#tickets].filter(
      (ticket) => !offer.shownTo.has(ticket) && isFor(ticket.runner, job, own),
    );
    const next = fitting.find((ticket) => ticket.isIdle) ?? fitting[0];
    if (!next) return;
    offer.shownTo.add(next);
    next.show(offer);
  }
}

function isFor(runner: RunnerRow, job: OfferedJob, own: ReadonlySet<number>): boolean {
  const { builds_access_level: builds, ...settings } = projectSettings(job);
  if (runner.paused === 1 || builds === 'disabled' || !mayTake(runner, job)) return false;
  switch (runner.runner_type) {
    case 'instance_type':
      return settings.shared_runners_enabled;
    case 'group_type':
      return settings.group_runners_enabled && job.traversal.includes(`/${runner.namespace_id}/`);
    case 'project_type':
      return own.has(runner.id);
  }
}

interface TicketHooks {
  passOn: (offers: Offer[]) => void;
  leave: () => void;
}

/** The place of one runner among those that wait. */
export class Ticket {
  runner: RunnerRow;
  readonly #hooks: TicketHooks;
  /** Shown, and not looked at yet. */
  #offers: Offer[] = [];
  /** Being looked at. */
  #current: Offer[] = [];
  #ended = false;
  #wake: (() => void) | null = null;

  constructor(runner: RunnerRow, hooks: TicketHooks) {
    this.runner = runner;
    this.#hooks = hooks;
  }

  get isIdle(): boolean {
    return this.#wake !== null && this.#offers.length === 0;
  }

  show(offer: Offer): void {
    this.#offers.push(offer);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** True when it is time to look at the queue; false when `ms` have passed, `signal` fires or all waiting ends. */
  async next(ms: number, signal: AbortSignal): Promise<boolean> {
    this.#settle();
    if (this.#offers.length === 0 && !this.#ended && !signal.aborted && ms > 0) await this.#sleep(ms, signal);
    if (this.#offers.length === 0 || this.#ended || signal.aborted) return false;
    this.#current = this.#offers;
    this.#offers = [];
    return true;
  }

  /** In any case, at the end: what it was shown last and did not take is for the others. */
  leave(): void {
    this.#hooks.leave();
    this.#settle();
    this.#hooks.passOn(this.#offers);
    this.#offers = [];
  }

  #settle(): void {
    const looked = this.#current;
    this.#current = [];
    this.#hooks.passOn(looked);
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#wake = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    this.#wake = null;
  }
}
