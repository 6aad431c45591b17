import type { Repository } from './repository.ts';
export type TreeAction =
  | { action: 'create'; path: string; content: Buffer; executable?: boolean }
  | { action: 'update'; path: string; content: Buffer }
  | { action: 'move'; path: string; previousPath: string; content?: Buffer }
  | { action: 'delete'; path: string }
  | { action: 'chmod'; path: string; executable: boolean };
/** `message` is GitLab's text. */
export declare class TreeEditError extends Error {}
export declare function editTree(
  repo: Repository,
  baseTree: string | null,
  actions: TreeAction[],
  signal?: AbortSignal,
): Promise<string>;
