import type { Repository } from './repository.ts';
export type MergeResult = { tree: string } | { conflicts: string[] };
export type PickResult = { tree: string } | { conflict: string[] } | { empty: true };
/** `ours`, `theirs`, `base` are commit ids; without base git finds the merge bases itself; null = the empty tree. */
export declare function mergeTrees(
  repo: Repository,
  input: { ours: string; theirs: string; base?: string | null; signal?: AbortSignal },
): Promise<MergeResult>;
export declare function cherryPickTree(
  repo: Repository,
  commit: string,
  onto: string,
  signal?: AbortSignal,
): Promise<PickResult>;
export declare function revertTree(
  repo: Repository,
  commit: string,
  onto: string,
  signal?: AbortSignal,
): Promise<PickResult>;
