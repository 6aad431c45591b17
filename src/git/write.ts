import type { Identity, ObjectType } from './objects.ts';
import type { Repository } from './repository.ts';
export interface NewCommit {
  tree: string;
  parents: string[];
  author: Identity;
  committer: Identity;
  message: string;
}
export declare function writeObject(repo: Repository, type: ObjectType, data: Buffer): Promise<string>;
export declare function writeObjects(
  repo: Repository,
  objects: { type: ObjectType; data: Buffer }[],
): Promise<string[]>;
export declare function writeCommit(repo: Repository, commit: NewCommit): Promise<string>;
export declare function writeTree(
  repo: Repository,
  entries: { mode: string; oid: string; name: string | Buffer }[],
): Promise<string>;
