import type { Commit } from './objects.ts';
import type { Repository } from './repository.ts';
export interface ListCommits {
  /** A commit id, or a range `<oid>..<oid>` (resolveRange). Not needed with `all`. */
  from?: string;
  /** Commits reachable from any ref. */
  all?: boolean;
  skip?: number;
  limit: number;
  /** Milliseconds since the epoch or ISO 8601; committer date, inclusive. */
  since?: number | string;
  until?: number | string;
  path?: string;
  /** Follow renames of `path`. */
  follow?: boolean;
  author?: string;
  firstParent?: boolean;
  order?: 'default' | 'topo';
  signal?: AbortSignal;
}
/** Newest first. */
export declare function listCommits(repo: Repository, options: ListCommits): Promise<Commit[]>;
export declare function lastCommitFor(
  repo: Repository,
  rev: string,
  path: string,
  signal?: AbortSignal,
): Promise<string | null>;
