import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileStamp, fileStamp } from './file-stamp.ts';
import { allPacked, findPacked, readPackedRefs } from './packed-refs.ts';
import { isValidRefName } from './ref-name.ts';
import type { Repository } from './repository.ts';

/**
 * Refs read from the repository's own files: no process, and always what is there now, so that a push by another process is
 * seen at once. Git reads a ref from its own file first and from packed-refs when there is none.
 */
export interface Ref {
  /** Full name, `refs/heads/main`. */
  name: string;
  oid: string;
  /** What an annotated tag ends at, when packed-refs says so. */
  peeled?: string;
}

interface Folder {
  stamp: FileStamp;
  below: string[];
  /** Value is an id, or `ref: <name>`. */
  files: { name: string; value: string }[];
}

export interface RefSnapshot {
  folders: Map<string, Folder>;
  packedStamp: string;
  /** Of this state of the refs and no other. */
  version: string;
  /** By name. The same array as long as nothing changed. */
  refs: readonly Ref[];
  bytes: number;
}

const MAX_SYMREF_DEPTH = 5;
const OID = /^[0-9a-f]{40}$/;
const READS_AT_ONCE = 64;

/** The id a full name holds now (of the tag object, for an annotated tag), null when there is no such ref. `HEAD` is allowed. */
export async function resolveRef(repo: Repository, fullRef: string, depth = 0): Promise<string | null> {
  if (fullRef !== 'HEAD' && !isValidRefName(fullRef)) return null;
  const value = await readLoose(repo, fullRef);
  if (value === null) {
    if (fullRef === 'HEAD') return null;
    return findPacked(await readPackedRefs(repo), fullRef)?.oid ?? null;
  }
  if (OID.test(value)) return value;
  const target = /^ref: (.+)$/.exec(value)?.[1];
  return target && depth < MAX_SYMREF_DEPTH ? resolveRef(repo, target, depth + 1) : null;
}

/** Refs whose full name begins with `prefix` (`refs/heads/`), by name. Costs one stat for each folder below refs/ when nothing changed. */
export async function listRefs(repo: Repository, prefix = 'refs/'): Promise<readonly Ref[]> {
  const { refs } = await refSnapshot(repo);
  if (prefix === 'refs/' || prefix === '') return refs;
  const from = lowerBound(refs, prefix);
  let to = from;
  while (to < refs.length && refs[to]!.name.startsWith(prefix)) to++;
  return refs.slice(from, to);
}

/** Every ref now; the very same object as before when nothing has changed, so results may be kept with it. */
export async function refSnapshot(repo: Repository): Promise<RefSnapshot> {
  const known = repo.git.caches.refs.get(repo, '');
  const folders = new Map<string, Folder>();
  const changed = await walk(repo, 'refs', known, folders);
  // after the loose ones: a ref that is packed meanwhile leaves its own file last
  const packed = await readPackedRefs(repo);
  const same = !changed && known?.packedStamp === packed.stamp.text && !packed.stamp.racy;
  if (known && same && known.folders.size === folders.size) return known;
  const refs = merge([...allPacked(packed)], [...folders.values()]);
  const bytes = 500 * folders.size + 250 * refs.length;
  const snapshot = { version: randomUUID(), folders, packedStamp: packed.stamp.text, refs, bytes };
  repo.git.caches.refs.set(repo, '', snapshot);
  return snapshot;
}

/** Whether anything below differs from what was known. */
async function walk(
  repo: Repository,
  name: string,
  known: RefSnapshot | undefined,
  into: Map<string, Folder>,
): Promise<boolean> {
  const stamp = await fileStamp(join(repo.path, name));
  if (stamp.text === '') return known?.folders.has(name) ?? false;
  const before = known?.folders.get(name);
  const unchanged = before !== undefined && !before.stamp.racy && before.stamp.text === stamp.text;
  const folder = unchanged ? before : await readFolder(repo, name, stamp);
  into.set(name, folder);
  const below = await Promise.all(folder.below.map((child) => walk(repo, child, known, into)));
  return !unchanged || below.includes(true);
}

async function readFolder(repo: Repository, name: string, stamp: FileStamp): Promise<Folder> {
  const entries = await readdir(join(repo.path, name), { withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return []; // git removes folders that have become empty
    throw error;
  });
  const below = entries.filter((entry) => entry.isDirectory()).map((entry) => `${name}/${entry.name}`);
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${name}/${entry.name}`)
    .filter(isValidRefName);
  const files: Folder['files'] = [];
  for (let at = 0; at < names.length; at += READS_AT_ONCE) {
    const some = names.slice(at, at + READS_AT_ONCE);
    const values = await Promise.all(some.map((file) => readLoose(repo, file)));
    some.forEach((file, index) => {
      const value = values[index];
      if (value) files.push({ name: file, value });
    });
  }
  return { stamp, below, files };
}

async function readLoose(repo: Repository, fullRef: string): Promise<string | null> {
  try {
    return (await readFile(join(repo.path, fullRef), 'utf8')).trimEnd();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null;
    throw error;
  }
}

function merge(packed: Ref[], folders: Folder[]): Ref[] {
  const all = new Map(packed.map((ref) => [ref.name, ref]));
  const symbolic: Folder['files'] = [];
  for (const file of folders.flatMap((folder) => folder.files)) {
    if (file.value.startsWith('ref: ')) symbolic.push(file);
    else if (OID.test(file.value) && all.get(file.name)?.oid !== file.value)
      all.set(file.name, { name: file.name, oid: file.value });
  }
  for (const { name, value } of symbolic) {
    const target = all.get(value.slice('ref: '.length));
    if (target) all.set(name, { ...target, name });
    else all.delete(name);
  }
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function lowerBound(refs: readonly Ref[], prefix: string): number {
  let low = 0;
  let high = refs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (refs[middle]!.name < prefix) low = middle + 1;
    else high = middle;
  }
  return low;
}
