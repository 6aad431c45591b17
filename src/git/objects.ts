import type { Readable } from 'node:stream';
import type { Repository } from './repository.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export interface ObjectInfo {
  oid: string;
  type: ObjectType;
  size: number;
}

export interface Identity {
  name: string;
  email: string;
  /** Milliseconds since the epoch. */
  date: number;
  /** `+01:00`, as stored. */
  offset: string;
}

export interface Commit {
  id: string;
  tree: string;
  parents: string[];
  author: Identity;
  committer: Identity;
  message: string;
}

export interface TreeEntry {
  /** Six octal digits as GitLab prints them (`040000` for a tree). */
  mode: string;
  type: 'blob' | 'tree' | 'commit';
  oid: string;
  /** Invalid UTF-8 replaced; `rawName` has the bytes. */
  name: string;
  rawName: Buffer;
}

export interface Tag {
  id: string;
  object: string;
  type: ObjectType;
  name: string;
  tagger: Identity | null;
  message: string;
}

export declare function readInfo(
  repo: Repository,
  rev: string,
  signal?: AbortSignal,
): Promise<ObjectInfo | null>;
export declare function readBlob(
  repo: Repository,
  oid: string,
  options: { maxBytes: number; signal?: AbortSignal },
): Promise<Buffer | null>;
export declare function blobStream(repo: Repository, oid: string, signal?: AbortSignal): Promise<Readable>;
export declare function readCommit(
  repo: Repository,
  oid: string,
  signal?: AbortSignal,
): Promise<Commit | null>;
export declare function readCommits(
  repo: Repository,
  oids: string[],
  signal?: AbortSignal,
): Promise<(Commit | null)[]>;
export declare function readTree(
  repo: Repository,
  oid: string,
  signal?: AbortSignal,
): Promise<TreeEntry[] | null>;
export declare function readTag(repo: Repository, oid: string, signal?: AbortSignal): Promise<Tag | null>;
export declare function readSignature(
  repo: Repository,
  oid: string,
  signal?: AbortSignal,
): Promise<{ signature: string; payload: Buffer } | null>;
export declare function findEntry(
  repo: Repository,
  commitOrTree: string,
  path: string,
  signal?: AbortSignal,
): Promise<TreeEntry | null>;
