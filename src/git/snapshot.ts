import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack as openTar, type Pack } from 'tar-stream';
import type { Repository } from './repository.ts';

// What git names so is complete and never changes again; locks and half-written files have other names.
const FANOUT = /^[0-9a-f]{2}$/;
const LOOSE_OBJECT = /^[0-9a-f]{38}(?:[0-9a-f]{24})?$/;
const PACK_INDEX = /^pack-[0-9a-f]{40,64}\.idx$/;

/** Without these, empty or not, git does not take a folder for a repository. */
const FOLDERS = ['refs', 'objects', 'objects/pack'];

/** A repack replaces packs in an instant and rests long; more would mean that something else is wrong. */
const MAX_LOOKS = 20;

/**
 * The repository as a tar file that git can use once it is unpacked: HEAD, all refs as `packed-refs`, loose objects and packs.
 * Pushes and repacks may go on meanwhile: refs are read first, and what they name stays, because loose objects are read before
 * the packs that they move into. Destroying the stream closes every file. Throws RepositoryNotFound.
 */
export async function snapshot(repo: Repository, signal?: AbortSignal): Promise<Readable> {
  const head = await repo.head();
  const refs = await repo.run(['for-each-ref', '--format=%(objectname) %(refname)'], { signal });
  const tar = openTar();
  const output = new PassThrough();
  const filled = async () => {
    for (const name of FOLDERS) tar.entry({ name, type: 'directory' });
    tar.entry({ name: 'HEAD' }, `ref: refs/heads/${head}\n`);
    tar.entry({ name: 'packed-refs' }, refs);
    await addLooseObjects(tar, repo.path);
    await addPacks(tar, repo.path);
    tar.finalize();
  };
  // Whoever reads learns of a failure from the stream itself: it is cut off before its end.
  pipeline(tar, output).catch((error) => output.destroy(error));
  filled().catch((error) => output.destroy(error));
  return output;
}

async function addLooseObjects(tar: Pack, path: string): Promise<void> {
  const folders = await list(path, 'objects', FANOUT);
  for (const folder of folders) {
    for (const name of await list(path, `objects/${folder}`, LOOSE_OBJECT)) {
      const file = await openIfThere(join(path, 'objects', folder, name));
      if (file === null) continue; // packed this moment: the packs are still to come
      await using _ = file;
      await addFile(tar, `objects/${folder}/${name}`, file);
    }
  }
}

async function addPacks(tar: Pack, path: string): Promise<void> {
  const packs = await openPacks(path);
  try {
    for (const { name, file } of packs) await addFile(tar, name, file);
  } finally {
    await closeAll(packs);
  }
}

interface OpenFile {
  name: string;
  file: FileHandle;
}

/** All packs of one moment, held open, so that a repack can no longer take any of them away. */
async function openPacks(path: string): Promise<OpenFile[]> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const indexes = await listPacks(path);
    const opened: OpenFile[] = [];
    let settled = false;
    try {
      settled = (await openEach(path, indexes, opened)) && sameNames(indexes, await listPacks(path));
    } finally {
      if (!settled) await closeAll(opened);
    }
    if (settled) return opened;
  }
  throw new Error(`the packs of ${path} do not come to rest`);
}

const listPacks = (path: string) => list(path, 'objects/pack', PACK_INDEX);

const sameNames = (one: string[], other: string[]) => one.join('\n') === other.join('\n');

/** False when one is gone. What was opened is in `opened`, whatever happens. */
async function openEach(path: string, indexes: string[], opened: OpenFile[]): Promise<boolean> {
  for (const index of indexes) {
    for (const name of [index.replace(/idx$/, 'pack'), index]) {
      const file = await openIfThere(join(path, 'objects/pack', name));
      if (file === null) return false;
      opened.push({ name: `objects/pack/${name}`, file });
    }
  }
  return true;
}

async function closeAll(files: OpenFile[]): Promise<void> {
  for (const { file } of files) await file.close();
}

/** Waits for its reader: no more than a few chunks are in memory. */
async function addFile(tar: Pack, name: string, file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  await pipeline(file.createReadStream({ autoClose: false }), tar.entry({ name, size, mode: 0o444 }));
}

async function list(path: string, folder: string, pattern: RegExp): Promise<string[]> {
  try {
    const names = await readdir(join(path, folder));
    return names.filter((name) => pattern.test(name)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []; // git removes empty folders
    throw error;
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}
