import { fail } from '../platform/errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type ObjectReply, Reader, ReaderDied, type ReadRequest } from './reader.ts';
import { type Repository, RepositoryNotFound } from './repository.ts';

export interface BatchOptions {
  metrics: Metrics;
  /** Processes at once over all repositories. */
  maxReaders: number;
  /** A repository that gets no process for so long answers 503. */
  maxWaitMs: number;
}

export interface ReadOptions {
  maxBytes?: number;
  signal?: AbortSignal | undefined;
}

const PER_REPOSITORY = 2;
// A second process is worth its start only behind a queue; one answers some 10,000 questions a second.
const BUSY = 64;
const MAX_PENDING = 20_000;
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;

interface Member {
  repo: Repository;
  reader: Reader;
  /** Answers what it has, then makes room for another repository. */
  retiring: boolean;
  usedAt: number;
}

interface Waiting {
  repo: Repository;
  request: ReadRequest;
  timer: NodeJS.Timeout;
}

/** Long-lived object readers, shared by all repositories. */
export class BatchPool {
  readonly #options: BatchOptions;
  readonly #members = new Set<Member>();
  readonly #waiting: Waiting[] = [];
  readonly #restarts;
  #turn = 0;
  #closed = false;

  constructor(options: BatchOptions) {
    this.#options = options;
    this.#restarts = options.metrics.counter(
      'ingot_git_reader_deaths_total',
      'readers that ended in mid-work',
    );
    options.metrics.gauge('ingot_git_readers', 'long-lived object readers', [], (g) =>
      g.set(this.#members.size),
    );
  }

  /** Type and size of whatever git reads under `rev`; null when there is no such object or the name is ambiguous. */
  info(repo: Repository, rev: string, signal?: AbortSignal): Promise<ObjectReply | null> {
    return this.#ask(repo, 'info', rev, { signal });
  }

  /** The same with its bytes; `data` is null when they are over `maxBytes`. */
  contents(repo: Repository, rev: string, options: ReadOptions = {}): Promise<ObjectReply | null> {
    return this.#ask(repo, 'contents', rev, options);
  }

  /** Ends the readers of one repository. */
  drop(repo: Repository): void {
    for (const member of [...this.#members])
      if (member.repo.path === repo.path) member.reader.end(new ReaderDied('the repository was removed'));
  }

  close(): void {
    this.#closed = true;
    const closed = new ReaderDied('closed');
    for (const { request, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      request.reject(closed);
    }
    for (const member of [...this.#members]) member.reader.end(closed);
  }

  #ask(repo: Repository, command: ReadRequest['command'], rev: string, options: ReadOptions) {
    const { maxBytes = DEFAULT_MAX_BYTES, signal } = options;
    if (!isAskable(rev)) return Promise.resolve(null);
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise<ObjectReply | null>((resolve, reject) => {
      const abort = () => reject(signal?.reason); // the answer still comes, to nobody
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          signal?.removeEventListener('abort', abort);
          then(value);
        };
      signal?.addEventListener('abort', abort, { once: true });
      const request = { command, rev, maxBytes, deaths: 0, resolve: settle(resolve), reject: settle(reject) };
      this.#dispatch(repo, request);
    });
  }

  #dispatch(repo: Repository, request: ReadRequest): void {
    if (this.#closed) {
      request.reject(new ReaderDied('closed'));
      return;
    }
    const member = this.#memberFor(repo);
    if (!member) {
      this.#wait(repo, request);
    } else if (member.reader.pending >= MAX_PENDING) {
      request.reject(fail.unavailable(1));
    } else {
      member.usedAt = ++this.#turn;
      member.reader.send(request);
    }
  }

  #memberFor(repo: Repository): Member | null {
    const own = [...this.#members].filter((m) => m.repo.path === repo.path && !m.retiring);
    const best = own.reduce<Member | null>(
      (a, b) => (a && a.reader.pending <= b.reader.pending ? a : b),
      null,
    );
    if (best && (best.reader.pending < BUSY || own.length >= PER_REPOSITORY)) return best;
    if (this.#members.size < this.#options.maxReaders) return this.#start(repo);
    if (best) return best;
    const idle = this.#oldest((m) => m.reader.pending === 0);
    if (!idle) return null;
    idle.reader.end(new ReaderDied('made room'));
    return this.#start(repo);
  }

  #oldest(fits: (member: Member) => boolean): Member | null {
    const found = [...this.#members].filter(fits);
    return found.reduce<Member | null>((a, b) => (a && a.usedAt < b.usedAt ? a : b), null);
  }

  #start(repo: Repository): Member {
    const child = repo.spawn(['cat-file', '--batch-command', '--buffer']);
    const member: Member = {
      repo,
      retiring: false,
      usedAt: ++this.#turn,
      reader: new Reader(child, {
        idle: () => this.#onIdle(member),
        ended: (unanswered, reason) => this.#onEnd(member, unanswered, reason),
      }),
    };
    this.#members.add(member);
    return member;
  }

  /** All readers are at work: the longest untouched takes no more questions, so that even a busy one makes room in the end. */
  #wait(repo: Repository, request: ReadRequest): void {
    const waiting: Waiting = {
      repo,
      request,
      timer: setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        request.reject(fail.unavailable(5));
      }, this.#options.maxWaitMs),
    };
    this.#waiting.push(waiting);
    const retiring = [...this.#members].some((m) => m.retiring);
    const oldest = retiring ? null : this.#oldest((m) => !m.retiring);
    if (oldest) oldest.retiring = true;
  }

  #onIdle(member: Member): void {
    if (member.retiring || this.#waiting.length > 0) member.reader.end(new ReaderDied('made room'));
  }

  #onEnd(member: Member, unanswered: ReadRequest[], reason: Error): void {
    this.#members.delete(member);
    if (unanswered.length > 0) this.#restarts.inc();
    unanswered.forEach((request, index) => {
      if (index === 0) request.deaths++; // only the first can have been the cause
      const error = this.#finalError(member.repo, request, reason);
      if (error) request.reject(error);
      else this.#dispatch(member.repo, request);
    });
    for (const { repo, request, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      this.#dispatch(repo, request);
    }
  }

  #finalError(repo: Repository, request: ReadRequest, reason: Error): Error | null {
    const missing =
      (reason as NodeJS.ErrnoException).code === 'ENOENT' || /not a git repository/.test(reason.message);
    if (missing) return new RepositoryNotFound(`no repository at ${repo.relativePath}`, { cause: reason });
    return request.deaths > 1 || this.#closed ? reason : null;
  }
}

/** A name that cannot break the line protocol or be read as an option. */
function isAskable(rev: string): boolean {
  return rev !== '' && rev.length <= 4096 && !rev.startsWith('-') && !/[\0\n]/.test(rev);
}
