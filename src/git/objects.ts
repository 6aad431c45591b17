import type { Readable } from 'node:stream';
import { DEFAULT_MAX_BYTES } from './batch.ts';
import { type CommitSignature, parseCommit, parseSignature, parseTag, parseTree } from './parse.ts';
import type { Repository } from './repository.ts';

export type { CommitSignature } from './parse.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export interface ObjectInfo {
  oid: string;
  type: ObjectType;
  /** Bytes. */
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
  /** As stored, trailing line break included; invalid UTF-8 replaced. */
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

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const FULL_OID = /^[0-9a-f]{40}$/;

/** A full, lower-case object id. */
export function isOid(text: string): boolean {
  return FULL_OID.test(text);
}

/** What git reads under `rev` (an id, `<id>^{commit}`, `<id>:path`); null when there is nothing or the name is ambiguous. */
export async function readInfo(
  repo: Repository,
  rev: string,
  signal?: AbortSignal,
): Promise<ObjectInfo | null> {
  const fixed = isOid(rev); // only an id names the same object for ever
  const known = fixed ? repo.git.caches.info.get(repo, rev) : undefined;
  if (known) return known;
  const reply = await repo.git.batch.info(repo, rev, signal);
  if (!reply) return null;
  const info = { oid: reply.oid, type: reply.type, size: reply.size };
  if (fixed) repo.git.caches.info.set(repo, rev, info);
  return info;
}

/** A blob above the caller's limit. */
export class BlobTooLarge extends Error {
  override name = 'BlobTooLarge';
  readonly size: number;
  constructor(oid: string, size: number) {
    super(`blob ${oid} has ${size} bytes`);
    this.size = size;
  }
}

/** Null when it is not there or no blob; throws BlobTooLarge (see blobStream). */
export async function readBlob(
  repo: Repository,
  oid: string,
  options: { maxBytes?: number; signal?: AbortSignal } = {},
): Promise<Buffer | null> {
  const { maxBytes = DEFAULT_MAX_BYTES, signal } = options;
  const info = await readInfo(repo, oid, signal);
  if (info?.type !== 'blob') return null;
  if (info.size > maxBytes) throw new BlobTooLarge(oid, info.size);
  const reply = await repo.git.batch.contents(repo, info.oid, { maxBytes, signal });
  return reply?.data ?? null;
}

/** The bytes of a blob of any size, by a process of its own that ends with the stream. The caller has asked readInfo before. */
export async function blobStream(repo: Repository, oid: string, signal?: AbortSignal): Promise<Readable> {
  if (!isOid(oid)) throw new Error(`not an object id: ${JSON.stringify(oid)}`);
  return repo.stream(['cat-file', 'blob', oid], { signal });
}

/** The commit of this full id if it was read lately; asks nobody. */
export const knownCommit = (repo: Repository, oid: string): Commit | undefined =>
  repo.git.caches.commits.get(repo, oid);

/** Null when there is no such commit. */
export async function readCommit(
  repo: Repository,
  oid: string,
  signal?: AbortSignal,
): Promise<Commit | null> {
  const known = repo.git.caches.commits.get(repo, oid);
  if (known) return known;
  return isOid(oid) ? commitNamed(repo, oid, signal) : null;
}

/** In the order asked, in one round trip. */
export function readCommits(
  repo: Repository,
  oids: string[],
  signal?: AbortSignal,
): Promise<(Commit | null)[]> {
  return Promise.all(oids.map((oid) => readCommit(repo, oid, signal)));
}

/** The commit that `rev` ends at, through annotated tags and `~2`: what to ask when the id is not known yet. */
export async function readCommitAt(
  repo: Repository,
  rev: string,
  signal?: AbortSignal,
): Promise<Commit | null> {
  // an id mostly is that of a commit, which git finds faster than what it ends at
  const exact = isOid(rev) ? await commitNamed(repo, rev, signal) : null;
  return exact ?? commitNamed(repo, `${rev}^{commit}`, signal);
}

async function commitNamed(repo: Repository, rev: string, signal?: AbortSignal): Promise<Commit | null> {
  const reply = await repo.git.batch.contents(repo, rev, { signal });
  if (reply?.type !== 'commit' || !reply.data) return null;
  const commit = parseCommit(reply.oid, reply.data);
  repo.git.caches.commits.set(repo, commit.id, commit);
  return commit;
}

/** Entries in git's order; null when there is no such tree. A commit id stands for its tree. */
export async function readTree(
  repo: Repository,
  oid: string,
  signal?: AbortSignal,
): Promise<TreeEntry[] | null> {
  if (oid === EMPTY_TREE) return [];
  const known = repo.git.caches.trees.get(repo, oid);
  if (known) return known;
  if (!isOid(oid)) return null;
  const commit = repo.git.caches.commits.get(repo, oid);
  const reply = await repo.git.batch.contents(repo, commit?.tree ?? `${oid}^{tree}`, { signal });
  if (reply?.type !== 'tree' || !reply.data) return null;
  const entries = await parseTree(reply.data);
  repo.git.caches.trees.set(repo, reply.oid, entries);
  return entries;
}

/** What lies at `path` below a tree or commit; null when nothing does. The empty path is the tree itself, which has no entry. */
export async function findEntry(
  repo: Repository,
  commitOrTree: string,
  path: string,
  signal?: AbortSignal,
): Promise<TreeEntry | null> {
  const parts = path.split('/').filter((part) => part !== '');
  let at = commitOrTree;
  for (const [index, part] of parts.entries()) {
    const entries = await readTree(repo, at, signal);
    const wanted = Buffer.from(part);
    const entry = entries?.find(({ rawName }) => rawName.equals(wanted));
    if (!entry || index === parts.length - 1) return entry ?? null;
    if (entry.type !== 'tree') return null;
    at = entry.oid;
  }
  return null;
}

/** Null when there is no such annotated tag. */
export async function readTag(repo: Repository, oid: string, signal?: AbortSignal): Promise<Tag | null> {
  const known = repo.git.caches.tags.get(repo, oid);
  if (known) return known;
  const reply = isOid(oid) ? await repo.git.batch.contents(repo, oid, { signal }) : null;
  if (reply?.type !== 'tag' || !reply.data) return null;
  const tag = parseTag(reply.oid, reply.data);
  repo.git.caches.tags.set(repo, oid, tag);
  return tag;
}

/** Null for a commit that is not signed. */
export async function readSignature(
  repo: Repository,
  oid: string,
  signal?: AbortSignal,
): Promise<CommitSignature | null> {
  const reply = isOid(oid) ? await repo.git.batch.contents(repo, oid, { signal }) : null;
  return reply?.type === 'commit' && reply.data ? parseSignature(reply.data) : null;
}
