import type { Repository } from './repository.ts';
/** Commit oid of a tag, branch, full or short sha, HEAD, `name~1`, `name^`; null when there is none. */
export declare function resolveRevision(
  repo: Repository,
  name: string,
  signal?: AbortSignal,
): Promise<string | null>;
/** The same, and `a..b`, `a...b` as `<oid>..<oid>` for listCommits. */
export declare function resolveRange(
  repo: Repository,
  name: string,
  signal?: AbortSignal,
): Promise<string | null>;
