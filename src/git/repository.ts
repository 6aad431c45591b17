import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Git } from './git.ts';
import type { GitResult, GitRunOptions } from './process.ts';
export type RepositoryRunOptions = Omit<GitRunOptions, 'cwd'>;
export declare class RepositoryNotFound extends Error {}
export declare class RepositoryExists extends Error {}
export declare class Repository {
  readonly git: Git;
  /** Below the data folder, `@hashed/ab/cd/12.git`: names it in caches. */
  readonly relativePath: string;
  /** On disk. */
  readonly path: string;
  exists(): Promise<boolean>;
  create(options: { defaultBranch: string }): Promise<void>;
  remove(): Promise<void>;
  /** Name of the default branch (HEAD), without refs/heads/. */
  head(): Promise<string>;
  setHead(branch: string): Promise<void>;
  cloneFrom(other: Repository, signal?: AbortSignal): Promise<void>;
  importFrom(pathOnDisk: string, signal?: AbortSignal): Promise<void>;
  run(args: string[], options?: RepositoryRunOptions): Promise<Buffer>;
  tryRun(args: string[], options?: RepositoryRunOptions): Promise<GitResult>;
  /** Takes no place in the queue: see GitRunner.acquire. */
  spawn(
    args: string[],
    options?: Pick<RepositoryRunOptions, 'config' | 'env'>,
  ): ChildProcessWithoutNullStreams;
}
