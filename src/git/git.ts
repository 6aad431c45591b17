import { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { BatchPool } from './batch.ts';
import { createCaches, type GitCaches } from './cache.ts';
import { GitRunner } from './process.ts';
import { Repository } from './repository.ts';
import { StandingDiffs } from './standing-diffs.ts';

export interface GitOptions {
  /** The folder that holds every repository. */
  dir: string;
  log: Log;
  metrics: Metrics;
  clock?: Clock;
  /** Short-lived processes at once. */
  maxProcesses?: number;
  /** What waits longer for a process than this answers 503. */
  maxWaitMs?: number;
  /** A short-lived process that takes longer is ended. */
  timeoutMs?: number;
  /** Long-lived `cat-file` processes at once. */
  maxReaders?: number;
  /** Bytes that all caches together may hold. */
  cacheBytes?: number;
  /** Flush new objects to the disk before a ref may name them. Tests and throw-away services turn it off. */
  fsync?: boolean;
}

/** All bare repositories below one folder, and the processes and caches that serve them. */
export class Git {
  readonly dir: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly fsync: boolean;
  readonly runner: GitRunner;
  readonly batch: BatchPool;
  readonly diffs: StandingDiffs;
  readonly caches: GitCaches;
  /** Nothing but the path, checked and made absolute once. */
  readonly #handles = new LRUCache<string, Repository>({ max: 1000 });

  constructor(options: GitOptions) {
    const { log, metrics, maxWaitMs = 30_000 } = options;
    this.dir = options.dir;
    this.log = log;
    this.clock = options.clock ?? systemClock;
    this.fsync = options.fsync ?? true;
    this.runner = new GitRunner({
      log,
      metrics,
      maxWaitMs,
      ...(options.maxProcesses && { maxProcesses: options.maxProcesses }),
      ...(options.timeoutMs && { timeoutMs: options.timeoutMs }),
    });
    this.batch = new BatchPool({ metrics, maxWaitMs, maxReaders: options.maxReaders ?? 8 });
    this.diffs = new StandingDiffs(metrics);
    this.caches = createCaches(metrics, options.cacheBytes ?? 64 * 1024 * 1024);
  }

  /** A cheap handle; nothing is read. `relativePath` is below the folder: `@hashed/ab/cd/12.git`. Throws on any other shape. */
  repository(relativePath: string): Repository {
    const known = this.#handles.get(relativePath);
    if (known) return known;
    const made = new Repository(this, relativePath);
    this.#handles.set(relativePath, made);
    return made;
  }

  /** Ends every process. Requests under way fail. */
  async close(): Promise<void> {
    this.batch.close();
    this.diffs.close();
    this.runner.close();
  }
}

export function openGit(options: GitOptions): Git {
  return new Git(options);
}
