import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { GitRunner } from './process.ts';
import type { Repository } from './repository.ts';
export interface GitOptions {
  dir: string;
  log: Log;
  metrics: Metrics;
  clock?: Clock;
  maxProcesses?: number;
  /** Long-lived `cat-file` processes. */
  maxReaders?: number;
  /** Bytes that all caches together may hold. */
  cacheBytes?: number;
  /** Flush new objects to the disk before a ref may name them. */
  fsync?: boolean;
}
export declare class Git {
  readonly dir: string;
  readonly runner: GitRunner;
  repository(relativePath: string): Repository;
  close(): Promise<void>;
}
export declare function openGit(options: GitOptions): Git;
