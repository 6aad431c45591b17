import type { Clock } from '../../platform/clock.ts';
import type { CorpusName } from './code-index.ts';

/** A corpus that may not be indexed as it should be. */
export interface Work {
  name: CorpusName;
  /** Somebody has just changed it, and may look for the change next. */
  urgent: boolean;
  /** That failed, one after the other. */
  attempts: number;
  lastError: string | null;
  /** Not to be tried again before; milliseconds since the epoch. */
  dueAt: number;
  /** Touched while it was being worked on: what was read may be old already. */
  again: boolean;
}

export interface Backoff {
  firstMs: number;
  maxMs: number;
}

const MAX_ERROR_LENGTH = 500;

/** Which corpora wait for the indexer: the urgent ones first, each kind in the order in which they came. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #all = new Map<CorpusName, Work>();
  readonly #urgent = new Set<Work>();
  readonly #backlog = new Set<Work>();
  readonly #failed = new Set<Work>();
  readonly #running = new Set<Work>();

  constructor(clock: Clock, backoff: Backoff) {
    this.#clock = clock;
    this.#backoff = backoff;
  }

  get size(): number {
    return this.#all.size;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Whether something runs or could run now; what failed and waits is no reason to call the indexer busy. */
  get busy(): boolean {
    return this.#running.size + this.#urgent.size + this.#backlog.size > 0;
  }

  has(name: CorpusName): boolean {
    return this.#all.has(name);
  }

  names(): CorpusName[] {
    return [...this.#all.keys()];
  }

  failed(): Work[] {
    return [...this.#failed];
  }

  /** A touch of one that has failed has it tried at once: what was wrong may be mended. */
  touch(name: CorpusName, urgent: boolean): void {
    const known = this.#all.get(name);
    if (known && this.#running.has(known)) {
      known.again = true;
      known.urgent ||= urgent;
      return;
    }
    const work = known ?? { name, urgent, attempts: 0, lastError: null, dueAt: 0, again: false };
    this.#all.set(name, work);
    work.urgent ||= urgent;
    this.#failed.delete(work);
    if (work.urgent) this.#backlog.delete(work);
    (work.urgent ? this.#urgent : this.#backlog).add(work);
  }

  /** The next one, which counts as running from now on; null when there is none. */
  take({ urgentOnly }: { urgentOnly: boolean }): Work | null {
    const [next] = this.#urgent.size > 0 || urgentOnly ? this.#urgent : this.#backlog;
    if (!next) return null;
    this.#urgent.delete(next);
    this.#backlog.delete(next);
    this.#running.add(next);
    next.again = false;
    return next;
  }

  done(work: Work): void {
    this.#running.delete(work);
    this.#all.delete(work.name);
    if (work.again) this.touch(work.name, work.urgent);
  }

  /** The waits double up to the cap. */
  failedNow(work: Work, error: unknown): void {
    const { firstMs, maxMs } = this.#backoff;
    this.#running.delete(work);
    const { again, urgent } = work;
    work.attempts++;
    work.urgent = false;
    work.lastError = String(error).slice(0, MAX_ERROR_LENGTH);
    work.dueAt = this.#clock.now() + Math.min(maxMs, firstMs * 2 ** (work.attempts - 1));
    this.#failed.add(work);
    if (again) this.touch(work.name, urgent);
  }

  get failing(): number {
    return this.#failed.size;
  }

  /** Names of what failed and is to be tried again now. */
  due(): CorpusName[] {
    const now = this.#clock.now();
    return [...this.#failed].filter(({ dueAt }) => dueAt <= now).map(({ name }) => name);
  }

  /** Milliseconds until the next of what failed is due; null when none waits. */
  nextDueIn(): number | null {
    if (this.#failed.size === 0) return null;
    let next = Number.POSITIVE_INFINITY;
    for (const { dueAt } of this.#failed) next = Math.min(next, dueAt);
    return next - this.#clock.now();
  }
}
