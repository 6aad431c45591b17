import type { Counter, Histogram } from 'prom-client';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { CodeIndex, CorpusName, UpdateProgress } from './code-index.ts';
import { type Corpus, projectIdOf, tipOf } from './corpora.ts';
import { type Backoff, type Work, WorkQueue } from './work-queue.ts';

export interface IndexerOptions {
  index: () => Promise<CodeIndex>;
  /** Where the corpus is now; null when its project is gone. */
  find: (name: CorpusName) => Promise<Corpus | null>;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Waits after failures: 1 second doubling up to 10 minutes. */
  backoff?: Backoff;
  /** Called when work begins, and when there is none left. */
  onBusy?: () => void;
  onIdle?: () => void;
}

/** A corpus that is being indexed. */
export interface Running extends UpdateProgress {
  name: CorpusName;
  startedAt: number;
  /** When what it reads now was begun. */
  phaseStartedAt: number;
}

/** Projects at once. One place is kept for what somebody has just pushed, so that it does not wait behind long builds. */
const LANES = 3;
const BACKLOG_LANES = 2;
/** Node's timers take no more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Makes each corpus that was touched what its repository says, one after the other. What is to be done is never written down:
 * the index knows the commit of each corpus, the repository knows its tip, and whoever starts compares the two.
 */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #queue: WorkQueue;
  readonly #running = new Map<CorpusName, Running>();
  readonly #jobs = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #seconds: Histogram;
  readonly #failures: Counter;
  #timer: NodeJS.Timeout | undefined;
  #busy = false;
  #waiters: (() => void)[] = [];

  constructor(options: IndexerOptions) {
    const { clock, metrics, backoff = { firstMs: 1000, maxMs: 600_000 } } = options;
    this.#options = options;
    this.#queue = new WorkQueue(clock, backoff);
    this.#seconds = metrics.histogram(
      'ingot_search_index_seconds',
      'time to bring one project or wiki of the code index up to date',
      [],
      [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300],
    );
    this.#failures = metrics.counter('ingot_search_index_failures_total', 'attempts to index that failed');
    metrics.gauge('ingot_search_pending_projects', 'projects whose code is not indexed yet', [], (gauge) =>
      gauge.set(this.pendingProjects),
    );
  }

  /** Notes that the corpus may have changed, come or gone. `urgent` for a change just made, not for one found at the start. */
  touch(name: CorpusName, { urgent = true } = {}): void {
    if (this.#stop.signal.aborted) return;
    this.#queue.touch(name, urgent);
    if (!this.#busy) {
      this.#busy = true;
      this.#options.onBusy?.();
    }
    this.#pump();
  }

  /** Whether the index may hold something else than the tip. */
  isPending(name: CorpusName): boolean {
    return this.#queue.has(name);
  }

  get busy(): boolean {
    return this.#busy;
  }

  get pendingProjects(): number {
    return new Set(this.#queue.names().map(projectIdOf)).size;
  }

  get running(): Running[] {
    return [...this.#running.values()];
  }

  /** What failed and waits for its next attempt. */
  get failing(): Work[] {
    return this.#queue.failed();
  }

  /** Resolves when everything is indexed but for what fails. */
  async idle(): Promise<void> {
    if (this.#busy) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  /** Ends what runs; the index stays as it was before that. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the indexer was stopped'));
    clearTimeout(this.#timer);
    await Promise.all(this.#jobs);
    this.#settle();
  }

  #pump(): void {
    while (!this.#stop.signal.aborted && this.#queue.running < LANES) {
      const work = this.#queue.take({ urgentOnly: this.#queue.running >= BACKLOG_LANES });
      if (!work) break;
      const job = this.#work(work).then(() => {
        this.#jobs.delete(job);
        this.#pump();
      });
      this.#jobs.add(job);
    }
    this.#wakeLater();
    if (!this.#queue.busy) this.#settle();
  }

  #settle(): void {
    const wasBusy = this.#busy;
    this.#busy = false;
    if (wasBusy) this.#options.onIdle?.();
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #wakeLater(): void {
    clearTimeout(this.#timer);
    const wait = this.#queue.failing === 0 || this.#stop.signal.aborted ? null : this.#queue.nextDueIn();
    if (wait === null) return;
    this.#timer = setTimeout(
      () => {
        for (const name of this.#queue.due()) this.touch(name, { urgent: false });
        this.#wakeLater(); // a timer may be a little early by the clock
      },
      Math.min(Math.max(wait, 1), MAX_TIMER_MS),
    ).unref();
  }

  /** Never rejects. */
  async #work(work: Work): Promise<void> {
    const { clock, log } = this.#options;
    const now = clock.now();
    const running: Running = {
      name: work.name,
      startedAt: now,
      phaseStartedAt: now,
      what: 'files',
      done: 0,
      total: 0,
    };
    this.#running.set(work.name, running);
    try {
      await this.#bringUp(running);
      this.#queue.done(work);
    } catch (error) {
      this.#queue.failedNow(work, error);
      if (!this.#stop.signal.aborted) {
        this.#failures.inc();
        log.warn({ err: error, corpus: work.name, attempts: work.attempts }, 'code could not be indexed');
      }
    } finally {
      this.#running.delete(work.name);
    }
  }

  async #bringUp(running: Running): Promise<void> {
    const { name } = running;
    const corpus = await this.#options.find(name);
    const commit = corpus && (await tipOf(corpus));
    const index = await this.#options.index();
    if (corpus === null || commit === null) {
      if (index.corpora().has(name)) await index.remove([name]);
      return;
    }
    if (index.commits([name]).get(name) === commit) return;
    const ended = this.#seconds.startTimer();
    await index.update(
      name,
      { repository: corpus.repository.path, commit },
      { signal: this.#stop.signal, onProgress: (progress) => this.#note(running, progress) },
    );
    ended();
  }

  #note(running: Running, progress: UpdateProgress): void {
    if (progress.what !== running.what) running.phaseStartedAt = this.#options.clock.now();
    Object.assign(running, progress);
  }
}
