import type { Repository } from './repository.ts';
export interface RefUpdate {
  ref: string;
  /** Expected value: null = must not exist, absent = not checked. */
  old?: string | null;
  /** null deletes. */
  new: string | null;
}
export declare class RefConflict extends Error {
  ref: string | null;
}
export declare class RefNameClash extends Error {
  ref: string | null;
}
export declare class InvalidRef extends Error {
  ref: string | null;
}
export declare function updateRefs(
  repo: Repository,
  updates: RefUpdate[],
  signal?: AbortSignal,
): Promise<void>;
