import { Places } from '../../../git/places.ts';
import { GitTimeout } from '../../../git/process.ts';
import type { Repository } from '../../../git/repository.ts';
import { RepositoryNotFound } from '../../../git/repository.ts';
import type { Log } from '../../../platform/log.ts';
import {
  type CodeHit,
  type CodePattern,
  type CorpusName,
  InvalidPattern,
  type PathFilter,
} from '../code-index.ts';
import { WorkerHandle } from '../local/worker-handle.ts';
import type { Scan } from './scan.ts';
import type { ScanResult } from './scan-worker.ts';

export interface GitSearchQuery {
  place: { name: CorpusName; repository: Repository };
  commit: string;
  part: 'names' | 'contents';
  pattern: CodePattern;
  filters: readonly PathFilter[];
  limit: number;
}

/** Searches at once, each with a git process or two. */
const AT_ONCE = 2;
/** What waits longer for its turn answers 503. */
const MAX_WAIT_MS = 10_000;
const IDLE_MS = 30_000;
const YOUNG_MB = 8;

/**
 * Searches trees by git and by what the index matches with, so that the hits are the same. Slow, as it reads the files: for
 * what the index does not hold. A thread does the work, so that nobody else notices.
 */
export class GitSearch {
  readonly #turns = new Places(AT_ONCE, MAX_WAIT_MS);
  readonly #threads: WorkerHandle<Scan, ScanResult, never>[];

  constructor(log: Log) {
    this.#threads = Array.from(
      { length: AT_ONCE },
      () =>
        new WorkerHandle({
          file: new URL('./scan-worker.ts', import.meta.url),
          data: () => null,
          idleMs: () => IDLE_MS,
          maxYoungMb: YOUNG_MB,
          onNotice: (notice) => log.debug({ notice }, 'from a thread that searches repositories'),
        }),
    );
  }

  /** Throws InvalidPattern, GitTimeout, RepositoryNotFound, the signal's reason, 503 when too many searches wait. */
  async search(
    query: GitSearchQuery,
    { signal, timeoutMs }: { signal?: AbortSignal | undefined; timeoutMs: number },
  ): Promise<CodeHit[]> {
    const { place, commit, part, pattern, filters, limit: wanted } = query;
    const limit = AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs)));
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    try {
      const where = { repository: place.repository.path, corpus: place.name, commit };
      const result = await this.#run({ ...where, part, pattern, filters, limit: wanted }, either);
      if (result.kind === 'hits') return result.hits;
      throw new InvalidPattern(result.message);
    } catch (error) {
      if (signal?.aborted || error instanceof InvalidPattern) throw error;
      if (limit.aborted) throw new GitTimeout(`a search took over ${timeoutMs} ms`);
      if (await place.repository.exists()) throw error;
      throw new RepositoryNotFound(`no repository at ${place.repository.relativePath}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async #run(call: Scan, signal: AbortSignal): Promise<ScanResult> {
    const release = await this.#turns.acquire(signal);
    try {
      const thread = this.#threads.find(({ pending }) => pending === 0) ?? this.#threads[0]!;
      return await thread.call(call, { signal });
    } finally {
      release();
    }
  }
}
