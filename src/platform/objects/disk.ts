import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { type FileHandle, mkdir, open, opendir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bulkDelete } from './bulk-delete.ts';
import { FileSink } from './file-sink.ts';
import { FolderSyncs } from './folder-syncs.ts';
import { hasCode, isAbsent } from './fs-errors.ts';
import {
  type ByteRange,
  checkKey,
  checkPrefix,
  checkRange,
  InvalidKey,
  isKey,
  type ListedObject,
  type ObjectHead,
  ObjectNotFound,
  type ObjectStore,
  type PutOptions,
  type StoredObject,
} from './object-store.ts';

export interface DiskOptions {
  /** Made when it is not there. Nothing else may write into it. */
  dir: string;
  /** Whether `put` waits until the bytes have reached the disk, so that a power loss keeps what was acknowledged. */
  fsync: boolean;
  /** Whether other processes use the folder too: what they are writing just now is left alone at the start. */
  shared?: boolean;
}

/** A draft that grows is newer; one that is older belongs to a process that was killed. */
const STALE_DRAFT_MS = 3600_000;

/** A quarter of the turns that Node's default takes; what is shorter costs no more. */
const READ_AT_ONCE = 256 * 1024;

/** From here on a thread, which takes 17 ms to start, is sooner done than one file after the other, each with its folder synced. */
const MANY = 20;

/** No key begins with a dot, so that temporary files can share the file system, as `rename` needs. */
const TEMPORARY = '.tmp';

/** Folders may vanish between two steps when a neighbour's last file is deleted; so often is not chance any more. */
const MAX_PLACE_ATTEMPTS = 5;

/** Objects as files below one folder, each under its key. */
export async function openDiskStore(options: DiskOptions): Promise<ObjectStore> {
  const dir = resolve(options.dir);
  const temporary = join(dir, TEMPORARY);
  await mkdir(temporary, { recursive: true });
  await removeDrafts(temporary, options.shared ? Date.now() - STALE_DRAFT_MS : Number.POSITIVE_INFINITY);
  return new DiskStore(dir, temporary, options.fsync);
}

/** What a killed process was writing: nobody can know of it. */
async function removeDrafts(temporary: string, before: number): Promise<void> {
  for (const name of await readdir(temporary)) {
    const path = join(temporary, name);
    const draft = await headOf(path);
    if (draft && draft.modifiedAt < before) await rm(path, { force: true });
  }
}

class DiskStore implements ObjectStore {
  readonly #dir: string;
  readonly #temporary: string;
  readonly #fsync: boolean;
  readonly #bulk = bulkDelete();
  readonly #folders = new FolderSyncs();

  constructor(dir: string, temporary: string, fsync: boolean) {
    this.#dir = dir;
    this.#temporary = temporary;
    this.#fsync = fsync;
  }

  async put(key: string, body: Readable | Uint8Array, options: PutOptions = {}): Promise<StoredObject> {
    checkKey(key);
    const draft = join(this.#temporary, randomUUID());
    try {
      const stored = await this.#write(draft, body, options);
      await this.#place(draft, this.#path(key));
      return stored;
    } catch (error) {
      await rm(draft, { force: true });
      throw hasCode(error, 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY') ? new InvalidKey(key) : error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    checkKey(key);
    if (range) checkRange(range);
    const file = await openFile(this.#path(key));
    if (!file) throw new ObjectNotFound(key);
    return file.createReadStream({ ...range, highWaterMark: READ_AT_ONCE });
  }

  async head(key: string): Promise<ObjectHead | null> {
    checkKey(key);
    return headOf(this.#path(key));
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    const path = this.#path(key);
    try {
      await rm(path);
    } catch (error) {
      if (isAbsent(error)) return;
      throw error;
    }
    await this.#removeEmptyFolders(dirname(path));
  }

  async deleteMany(keys: readonly string[]): Promise<Map<string, unknown>> {
    if (keys.length >= MANY) return this.#deleteInThread(keys);
    const failed = new Map<string, unknown>();
    for (const key of keys) await this.delete(key).catch((error) => failed.set(key, error));
    return failed;
  }

  async #deleteInThread(keys: readonly string[]): Promise<Map<string, unknown>> {
    const wrong = new Map(keys.filter((key) => !isKey(key)).map((key) => [key, new InvalidKey(key)]));
    const rest = wrong.size > 0 ? keys.filter((key) => !wrong.has(key)) : keys;
    const failed = await this.#bulk.ask({ dir: this.#dir, keys: rest, fsync: this.#fsync });
    return new Map<string, unknown>([...wrong, ...failed]);
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    checkPrefix(prefix);
    yield* this.#walk(prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix);
  }

  #path(key: string): string {
    return join(this.#dir, ...key.split('/'));
  }

  async #write(draft: string, body: Readable | Uint8Array, options: PutOptions): Promise<StoredObject> {
    const source = body instanceof Readable ? body : Readable.from([body]);
    const sink = new FileSink(draft, { ...options, fsync: this.#fsync });
    await pipeline(source, sink);
    return sink.result();
  }

  /** Mostly the folder is there, from its last object. */
  async #place(draft: string, path: string): Promise<void> {
    const folder = dirname(path);
    let made: string | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        await rename(draft, path);
        if (this.#fsync) await this.#syncUpTo(folder, made);
        return;
      } catch (error) {
        if (!hasCode(error, 'ENOENT') || attempt === MAX_PLACE_ATTEMPTS) throw error;
        made = (await mkdir(folder, { recursive: true })) ?? made;
      }
    }
  }

  /** A new name lasts once its folder is synced, and a new folder once the one above it is. */
  async #syncUpTo(folder: string, firstMade: string | undefined): Promise<void> {
    const top = firstMade ? dirname(firstMade) : folder;
    for (let path = folder; ; path = dirname(path)) {
      await this.#folders.sync(path);
      if (path === top || path === dirname(path)) return;
    }
  }

  /** Stops at the first folder that holds something, and after the sync that makes the removal last. */
  async #removeEmptyFolders(folder: string): Promise<void> {
    for (let path = folder; path !== this.#dir; path = dirname(path)) {
      try {
        await rmdir(path);
      } catch (error) {
        if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR')) throw error;
        if (this.#fsync && hasCode(error, 'ENOTEMPTY', 'EEXIST')) await this.#folders.sync(path);
        return;
      }
    }
    if (this.#fsync) await this.#folders.sync(this.#dir);
  }

  async *#walk(folder: string, prefix: string): AsyncGenerator<ListedObject> {
    for await (const entry of entries(join(this.#dir, folder))) {
      const key = folder + entry.name;
      if (entry.isDirectory()) {
        const inside = `${key}/`;
        if (entry.name !== TEMPORARY && (inside.startsWith(prefix) || prefix.startsWith(inside))) {
          yield* this.#walk(inside, prefix);
        }
      } else if (key.startsWith(prefix)) {
        const head = await headOf(join(this.#dir, key));
        if (head) yield { key, ...head };
      }
    }
  }
}

async function* entries(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

async function openFile(path: string): Promise<FileHandle | null> {
  try {
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

async function headOf(path: string): Promise<ObjectHead | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? { size: found.size, modifiedAt: Math.trunc(found.mtimeMs) } : null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
