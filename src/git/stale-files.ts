import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** No git command of the service holds a lock file for long: those on refs live for milliseconds, the longest, on the commit graph, for the time it takes to write it. */
export const STALE_LOCK_MS = 15 * 60_000;
/** Half-written packs and quarantine folders belong to transfers, which may last for hours. */
export const STALE_TEMPORARY_MS = 24 * 60 * 60_000;

/** Where git makes lock files in a bare repository. No ref is taken for one: git allows no ref name that ends in `.lock`. */
const LOCK_FOLDERS = [
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
