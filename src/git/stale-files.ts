import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** No git command of the service holds a lock file for long: those on refs live for milliseconds, the longest, on the commit graph, for the time it takes to write it. */
export const STALE_LOCK_MS = 15 * 60_000;
/**
 * A lock on a ref that is this old belongs to a git process that was killed: whoever moves refs holds their locks for
 * milliseconds, and no two processes move the same ref (core/repository/ref-updates.ts sees to that).
 */
const ABANDONED_MS = 10_000;
/** Half-written packs and quarantine folders belong to transfers, which may last for hours. */
export const STALE_TEMPORARY_MS = 24 * 60 * 60_000;

/** Where git makes lock files in a bare repository. No ref is taken for one: git allows no ref name that ends in `.lock`. */
const LOCK_FOLDERS = [
  // these two hold the locks on refs
  { folder: '.', recursive: false },
  { folder: 'refs', recursive: true },
  { folder: 'objects/info', recursive: true },
  { folder: 'objects/pack', recursive: false },
];
// `packed-refs.new` is created exclusively under packed-refs.lock, so a left one stops every later rewrite as well.
const LOCK = /(?:\.lock|^packed-refs\.new)$/;
const TEMPORARY_FOLDERS = ['objects', 'objects/pack', 'objects/info/commit-graphs'];
const TEMPORARY = /^(?:tmp_|\.tmp-)/;

/**
 * Removes what git processes left behind that were killed, or fell with the machine: lock files, which would stop every later
 * writer, and unfinished packs and quarantine folders, which only take space. Returns what it removed, relative to the repository.
 */
export async function removeStaleLocks(
  path: string,
  options: { lockMs?: number; temporaryMs?: number; now?: number } = {},
): Promise<string[]> {
  const { lockMs = STALE_LOCK_MS, temporaryMs = STALE_TEMPORARY_MS, now = Date.now() } = options;
  const removed: string[] = [];
  for (const { folder, recursive } of LOCK_FOLDERS) {
    for (const entry of await list(path, folder, recursive)) {
      if (!entry.isFile() || !LOCK.test(entry.name)) continue;
      await removeOld(entry, now - lockMs, removed);
    }
  }
  for (const folder of TEMPORARY_FOLDERS) {
    for (const entry of await list(path, folder, false)) {
      if (TEMPORARY.test(entry.name)) await removeOld(entry, now - temporaryMs, removed);
    }
  }
  return removed.map((file) => file.slice(path.length + 1));
}

/**
 * Removes the locks on refs that stand in the way of a write and that nobody holds any more. Returns what it removed, relative
 * to the repository: empty when the owner may still be alive.
 */
export async function breakAbandonedLocks(path: string, now = Date.now()): Promise<string[]> {
  const locks: Dirent[] = [];
  for (const { folder, recursive } of LOCK_FOLDERS.slice(0, 2)) {
    const entries = await list(path, folder, recursive);
    locks.push(...entries.filter((entry) => entry.isFile() && LOCK.test(entry.name)));
  }
  const removed: string[] = [];
  // The two go together: packed-refs.lock stays as it was made for as long as packed-refs.new is being written.
  const packed = locks.filter(({ name }) => name.startsWith('packed-refs.'));
  const ages = await Promise.all(packed.map((entry) => changedAt(entry)));
  const isWritten = ages.some((time) => time > now - ABANDONED_MS);
  for (const entry of locks) {
    if (isWritten && packed.includes(entry)) continue;
    await removeOld(entry, now - ABANDONED_MS, removed);
  }
  return removed.map((file) => file.slice(path.length + 1));
}

async function changedAt(entry: Dirent): Promise<number> {
  try {
    return (await stat(join(entry.parentPath, entry.name))).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return Number.POSITIVE_INFINITY; // gone this moment: its owner is at work
  }
}

async function list(path: string, folder: string, recursive: boolean): Promise<Dirent[]> {
  try {
    return await readdir(join(path, folder), { withFileTypes: true, recursive });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []; // an empty ref folder goes with its last ref
    throw error;
  }
}

async function removeOld(entry: Dirent, before: number, removed: string[]): Promise<void> {
  const file = join(entry.parentPath, entry.name);
  try {
    if ((await stat(file)).mtimeMs > before) return;
    await rm(file, { recursive: true, force: true });
    removed.push(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // its owner was alive after all
  }
}
