import type { Repository } from './repository.ts';
export interface DiffFile {
  diff: string;
  oldPath: string;
  newPath: string;
  aMode: string;
  bMode: string;
  newFile: boolean;
  renamedFile: boolean;
  deletedFile: boolean;
  tooLarge: boolean;
  collapsed: boolean;
  binary: boolean;
}
export interface Diff {
  files: DiffFile[];
  overflow: boolean;
}
export declare function diffCommit(repo: Repository, oid: string, signal?: AbortSignal): Promise<Diff>;
/** Two tree-ishes; `from` null is the empty tree. */
export declare function diffTrees(
  repo: Repository,
  from: string | null,
  to: string,
  signal?: AbortSignal,
): Promise<Diff>;
