import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileStamp, fileStamp } from './file-stamp.ts';
import { allPacked, findPacked, readPackedRefs } from './packed-refs.ts';
import { pauses } from './pause.ts';
import { isValidRefName, UNLISTED } from './ref-name.ts';
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

/** The id a full name holds now (of the tag object, for an annotated tag), null when there is no such ref. `HEAD` is allowed. */
export async function resolveRef(repo: Repository, fullRef: string, depth = 0): Promise<string | null> {
  if (fullRef !== 'HEAD' && !isValidRefName(fullRef)) return null;
  const value = readLoose(repo, fullRef);
  if (value === null) {
    if (fullRef === 'HEAD') return null;
    return findPacked(await readPackedRefs(repo), fullRef)?.oid ?? null;
  }
  if (OID.test(value)) return value;
  const target = /^ref: (.+)$/.exec(value)?.[1];
  return target && depth < MAX_SYMREF_DEPTH ? resolveRef(repo, target, depth + 1) : null;
}

/** Refs whose full name begins with `prefix` (`refs/heads/`), by name, but none that is UNLISTED. Costs one stat for each folder below refs/ when nothing changed. */
export async function listRefs(repo: Repository, prefix = 'refs/'): Promise<readonly Ref[]> {
  const { refs } = await refSnapshot(repo);
  if (prefix === 'refs/' || prefix === '') return refs;
  const from = lowerBound(refs, prefix);
  let to = from;
  while (to < refs.length && refs[to]!.name.startsWith(prefix)) to++;
  return refs.slice(from, to);
}

/** Every ref now but those UNLISTED; the very same object as before when nothing has changed, so results may be kept with it. */
export async function refSnapshot(repo: Repository): Promise<RefSnapshot> {
  const known = repo.git.caches.refs.get(repo, '');
  const folders = new Map<string, Folder>();
  const changed = await walk(repo, 'refs', known, folders);
  // after the loose ones: a ref that is packed meanwhile leaves its own file last
  const packed = await readPackedRefs(repo);
  const same = !changed && known?.packedStamp === packed.stamp.text && !packed.stamp.racy;
  if (known && same && known.folders.size === folders.size) return known;
  const refs = await merge(allPacked(packed), folders.values());
  const bytes = 500 * folders.size + 160 * refs.length;
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
  const stamp = fileStamp(join(repo.path, name));
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
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${name}/${entry.name}`)
    .filter((folder) => !UNLISTED.includes(`${folder}/`));
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${name}/${entry.name}`)
    .filter(isValidRefName);
  const files: Folder['files'] = [];
  const pause = pauses();
  for (const file of names) {
    await pause();
    const value = readLoose(repo, file);
    if (value) files.push({ name: file, value });
  }
  return { stamp, below, files };
}

/** 41 bytes, read in place: four ways through the thread pool cost ten times as much as the reading itself. */
function readLoose(repo: Repository, fullRef: string): string | null {
  try {
    return readFileSync(`${repo.path}/${fullRef}`, 'utf8').trimEnd();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null;
    throw error;
  }
}

/** Loose refs win over packed ones of the same name, except that only those know what a tag ends at. Both come sorted. */
async function merge(packed: Iterable<Ref>, folders: Iterable<Folder>): Promise<Ref[]> {
  const files = [...folders].flatMap((folder) => folder.files).sort((a, b) => byBytes(a.name, b.name));
  const refs: Ref[] = [];
  const symbolic: [at: number, target: string][] = [];
  const take = ({ name, value }: Folder['files'][number], below?: Ref) => {
    if (value.startsWith('ref: ')) symbolic.push([refs.length, value.slice('ref: '.length)]);
    refs.push(below?.oid === value ? below : { name, oid: value });
  };
  const pause = pauses();
  let next = 0;
  for (const ref of packed) {
    await pause(); // some repositories have 100,000
    while (next < files.length && byBytes(files[next]!.name, ref.name) < 0) take(files[next++]!);
    if (files[next]?.name === ref.name) take(files[next++]!, ref);
    else if (!UNLISTED.some((folder) => ref.name.startsWith(folder))) refs.push(ref);
  }
  for (const file of files.slice(next)) take(file);
  return settle(refs, symbolic);
}

/** Symbolic refs get what they point at; those that point nowhere go, and with them files that hold no id. */
function settle(refs: Ref[], symbolic: [at: number, target: string][]): Ref[] {
  for (const [at, target] of symbolic) {
    const place = lowerBound(refs, target);
    const ref = refs[place]?.name === target ? refs[place] : undefined;
    refs[at] = { ...refs[at]!, oid: ref?.oid ?? '' };
  }
  return refs.every(({ oid }) => OID.test(oid)) ? refs : refs.filter(({ oid }) => OID.test(oid));
}

/** The order of UTF-8 bytes, which is git's: as code units compare, but surrogates stand above all others. */
function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x === y) continue;
    return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

function lowerBound(refs: readonly Ref[], prefix: string): number {
  let low = 0;
  let high = refs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byBytes(refs[middle]!.name, prefix) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
