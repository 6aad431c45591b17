import type { Repository } from './repository.ts';
export interface Ref {
  /** Full name, `refs/heads/main`. */
  name: string;
  oid: string;
  /** What an annotated tag ends at, when packed-refs says so. */
  peeled?: string;
}
export declare function resolveRef(repo: Repository, fullRef: string): Promise<string | null>;
export declare function listRefs(repo: Repository, prefix?: string): Promise<readonly Ref[]>;
