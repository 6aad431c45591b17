import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { type ArchiveIndex, readArchiveIndex, type ZipEntry } from './archive-index.ts';
import { extract } from './extract.ts';
import { ObjectWindow } from './object-reader.ts';

/** Of lists of files that are kept: one of 100,000 files takes some 12 MB. */
const KEPT_BYTES = 48 * 1024 * 1024;

export interface StoredArchive {
  key: string;
  size: number;
}

/**
 * Single files out of stored archives. What an archive holds is read once from its end and kept for a while, within bounds: archives never
 * change. The bytes of a file are then two small reads away, however large the archive is.
 */
export class Archives {
  readonly #objects: ObjectStore;
  readonly #known = new LRUCache<string, ArchiveIndex>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (index) => index.bytes,
  });
  readonly #coming = new Map<string, Promise<ArchiveIndex>>();

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** Throws `BadArchive`, and `ObjectNotFound` where it is gone. */
  async index(archive: StoredArchive): Promise<ArchiveIndex> {
    const known = this.#known.get(archive.key);
    if (known) return known;
    const coming = this.#coming.get(archive.key) ?? this.#read(archive);
    return coming;
  }

  /** Throws `BadArchive`. */
  open(archive: StoredArchive, entry: ZipEntry): Promise<Readable> {
    return extract(this.#objects, archive, entry);
  }

  #read(archive: StoredArchive): Promise<ArchiveIndex> {
    const coming = readArchiveIndex(new ObjectWindow(this.#objects, archive))
      .then((index) => {
        this.#known.set(archive.key, index);
        return index;
      })
      .finally(() => this.#coming.delete(archive.key));
    this.#coming.set(archive.key, coming);
    return coming;
  }
}
