import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Metrics } from '../platform/metrics.ts';
import type { GitConfig } from './environment.ts';
import { GitTimeout } from './process.ts';
import type { Repository } from './repository.ts';

/** One way of asking `git diff-tree`, the same for every commit. */
export interface DiffKind {
  name: string;
  /** `diff-tree --stdin --always …`: the commit's id comes first, even where nothing changed. */
  args: readonly string[];
  config?: GitConfig;
}

const MAX_PROCESSES = 4;
/** Nobody looks at commits any more: nothing is kept for them. */
const IDLE_MS = 10_000;
/** git keeps what it has read of a repository; after so many answers it begins anew. */
const MAX_ANSWERS = 500;
const TIMEOUT_MS = 60_000;

interface Standing {
  repo: Repository;
  kind: DiffKind;
  child: ChildProcessWithoutNullStreams;
  /** A line that git does not take for a commit, prints as it is, and flushes: the end of an answer. */
  mark: Buffer;
  answers: number;
  /** Runs while it has nothing to do. */
  idle?: NodeJS.Timeout;
}

export interface Listener {
  signal?: AbortSignal | undefined;
  /** Gets the output piece by piece; false: enough, the rest is not wanted. */
  take(part: Buffer): boolean;
}

/**
 * `git diff-tree --stdin` kept between questions: starting git and reading its packs takes five times as long as the diff of
 * an ordinary commit. One question at a time for each; whoever finds all at work starts a process of his own.
 */
export class StandingDiffs {
  readonly #all = new Set<Standing>();
  readonly #free: Standing[] = [];

  constructor(metrics: Metrics) {
    metrics.gauge('ingot_git_standing_diffs', 'diff processes kept between questions', [], (gauge) =>
      gauge.set(this.#all.size),
    );
  }

  /**
   * Hands over what git prints for one commit, by its full id. False when every process is at work, when the one that was asked
   * ended in the middle, or knows no such commit: then the question is to be asked anew, of a process of its own. Rejects
   * with the signal's reason, and with GitTimeout.
   */
  async feed(repo: Repository, kind: DiffKind, oid: string, listener: Listener): Promise<boolean> {
    const standing = this.#take(repo, kind);
    if (!standing) return false;
    const answer = new Answer(standing, listener);
    try {
      return await answer.of(oid);
    } finally {
      if (answer.complete) this.#release(standing);
      else this.#end(standing);
    }
  }

  /** Ends the processes of one repository. */
  drop(repo: Repository): void {
    for (const standing of [...this.#all]) if (standing.repo.path === repo.path) this.#end(standing);
  }

  close(): void {
    for (const standing of [...this.#all]) this.#end(standing);
  }

  #take(repo: Repository, kind: DiffKind): Standing | null {
    const at = this.#free.findLastIndex((one) => one.kind.name === kind.name && one.repo.path === repo.path);
    const found = at < 0 ? undefined : this.#free.splice(at, 1)[0];
    if (found) {
      clearTimeout(found.idle);
      return found;
    }
    if (this.#all.size >= MAX_PROCESSES) {
      const oldest = this.#free[0];
      if (!oldest) return null;
      this.#end(oldest);
    }
    return this.#start(repo, kind);
  }

  #start(repo: Repository, kind: DiffKind): Standing {
    const child = repo.spawn([...kind.args], { ...(kind.config && { config: kind.config }) });
    const mark = Buffer.from(`end ${randomBytes(8).toString('hex')}\n`);
    const standing: Standing = { repo, kind, child, mark, answers: 0 };
    this.#all.add(standing);
    child.stderr.resume();
    child.once('error', () => this.#end(standing));
    child.once('close', () => this.#end(standing));
    return standing;
  }

  #release(standing: Standing): void {
    standing.answers++;
    if (standing.answers >= MAX_ANSWERS || !this.#all.has(standing)) {
      this.#end(standing);
      return;
    }
    standing.idle = setTimeout(() => this.#end(standing), IDLE_MS).unref();
    this.#free.push(standing);
  }

  #end(standing: Standing): void {
    clearTimeout(standing.idle);
    this.#all.delete(standing);
    const at = this.#free.indexOf(standing);
    if (at >= 0) this.#free.splice(at, 1);
    standing.child.kill('SIGKILL');
  }
}

/** One question and what comes back, up to the mark. */
class Answer {
  readonly #standing: Standing;
  readonly #listener: Listener;
  readonly #over = Promise.withResolvers<boolean>();
  /** Held back: it may be the mark, however that is cut into chunks. */
  #tail: Buffer = Buffer.alloc(0);
  /** Whether the line with the commit's id has come. Git says nothing at all of a commit that is not there. */
  #begun = false;
  #head: Buffer = Buffer.alloc(0);
  complete = false;

  constructor(standing: Standing, listener: Listener) {
    this.#standing = standing;
    this.#listener = listener;
  }

  async of(oid: string): Promise<boolean> {
    const { child, mark } = this.#standing;
    const { signal } = this.#listener;
    const abort = () => this.#over.reject(signal?.reason);
    const closed = () => this.#over.resolve(false);
    const late = () => this.#over.reject(new GitTimeout(`git diff-tree took over ${TIMEOUT_MS} ms`));
    const timer = setTimeout(late, TIMEOUT_MS);
    const read = (chunk: Buffer) => this.#read(chunk);
    child.stdout.on('data', read);
    child.once('close', closed);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    child.stdin.write(Buffer.concat([Buffer.from(`${oid}\n`), mark]));
    try {
      return await this.#over.promise;
    } finally {
      clearTimeout(timer);
      child.stdout.off('data', read);
      child.off('close', closed);
      signal?.removeEventListener('abort', abort);
    }
  }

  #read(chunk: Buffer): void {
    const { mark } = this.#standing;
    const seen = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    const cut = Math.max(0, seen.length - mark.length);
    this.#tail = seen.subarray(cut);
    // Nothing comes behind the mark until the next question.
    this.complete = this.#tail.equals(mark);
    const isEnough = cut > 0 && !this.#hand(seen.subarray(0, cut));
    if (isEnough || this.complete) this.#over.resolve(this.#begun);
  }

  /** All but the first line, which may come in pieces. */
  #hand(part: Buffer): boolean {
    if (this.#begun) return this.#listener.take(part);
    this.#head = Buffer.concat([this.#head, part]);
    const end = this.#head.indexOf(10) + 1;
    if (end === 0) return true;
    this.#begun = true;
    const rest = this.#head.subarray(end);
    return rest.length === 0 || this.#listener.take(rest);
  }
}
