import type { Repository } from './repository.ts';
export declare function countCommits(
  repo: Repository,
  oidOrRange: string,
  options?: { firstParent?: boolean; signal?: AbortSignal },
): Promise<number>;
export declare function mergeBase(
  repo: Repository,
  oids: string[],
  signal?: AbortSignal,
): Promise<string | null>;
export declare function isAncestor(
  repo: Repository,
  ancestor: string,
  descendant: string,
  signal?: AbortSignal,
): Promise<boolean>;
export type RefKind = 'branch' | 'tag' | 'all';
export declare function refsContaining(
  repo: Repository,
  oid: string,
  kind: RefKind,
  signal?: AbortSignal,
): Promise<{ type: 'branch' | 'tag'; name: string }[]>;
