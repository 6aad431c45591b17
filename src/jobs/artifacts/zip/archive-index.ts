import { PassThrough } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Entry, RandomAccessReader } from 'yauzl';
import type { ObjectWindow } from './object-reader.ts';
import { BadArchive } from './zip-error.ts';

/** What a list of more files would take in memory is out of proportion to reading one of them. */
const MAX_ENTRIES = 200_000;
/** Between two breaths; takes about a millisecond. */
const ENTRIES_AT_ONCE = 300;

/** Where a file lies in its archive, and what the archive says of it. */
export interface ZipEntry {
  path: string;
  kind: 'file' | 'directory' | 'link';
  /** Of its own header, before its bytes. */
  offset: number;
  packedSize: number;
  size: number;
  crc32: number;
  /** 0 stored, 8 deflated. */
  method: number;
  encrypted: boolean;
  /** Permission bits, as Unix has them. */
  mode: number;
}

const FIELDS = 7;
const KINDS = ['file', 'directory', 'link'] as const;

/**
 * What an archive holds, by path; of a path that comes twice the last one counts. Names that lead out of a folder, and those that are no
 * names, are not in it. Numbers are packed: 100,000 files take some 12 MB.
 */
export class ArchiveIndex {
  readonly #rows = new Map<string, number>();
  #facts = new Float64Array(64 * FIELDS);
  #nameBytes = 0;

  /** For a cache that is bounded by memory. */
  get bytes(): number {
    return this.#facts.byteLength + this.#nameBytes + this.#rows.size * 64;
  }

  paths(): IterableIterator<string> {
    return this.#rows.keys();
  }

  find(path: string): ZipEntry | null {
    const row = this.#rows.get(path);
    if (row === undefined) return null;
    const [offset, packedSize, size, crc32, method, flags, mode] = this.#facts.subarray(
      row * FIELDS,
      (row + 1) * FIELDS,
    ) as unknown as [number, number, number, number, number, number, number];
    const kind = KINDS[flags >> 1] ?? 'file';
    return { path, kind, offset, packedSize, size, crc32, method, encrypted: (flags & 1) === 1, mode };
  }

  add(entry: ZipEntry): void {
    const row = this.#rows.size;
    if ((row + 1) * FIELDS > this.#facts.length) {
      const larger = new Float64Array(this.#facts.length * 2);
      larger.set(this.#facts);
      this.#facts = larger;
    }
    const flags = KINDS.indexOf(entry.kind) * 2 + (entry.encrypted ? 1 : 0);
    const { offset, packedSize, size, crc32, method, mode } = entry;
    const known = this.#rows.get(entry.path);
    this.#facts.set([offset, packedSize, size, crc32, method, flags, mode], (known ?? row) * FIELDS);
    if (known !== undefined) return;
    this.#rows.set(entry.path, row);
    this.#nameBytes += entry.path.length * 2;
  }
}

/** Reads the list at the end of an archive. Throws `BadArchive`. */
export async function readArchiveIndex(source: ObjectWindow): Promise<ArchiveIndex> {
  const yauzl = await import('yauzl');
  const index = new ArchiveIndex();
  for await (const entry of eachEntry(source)) {
    const path = pathOf(entry, yauzl);
    if (path !== null) index.add(entryOf(entry, path));
  }
  return index;
}

/** What the list at the end of an archive says, one after the other, lies and all; lets others run in between. Throws `BadArchive`. */
export async function* eachEntry(source: ObjectWindow): AsyncGenerator<Entry> {
  const yauzl = await import('yauzl');
  try {
    const reader = readerOf(yauzl.RandomAccessReader, source);
    // Names are decoded by who wants them: here one bad name would make the whole archive unreadable.
    const zip = await yauzl.fromRandomAccessReaderPromise(reader, source.size, { decodeStrings: false });
    if (zip.entryCount > MAX_ENTRIES) throw new BadArchive('it holds too many files');
    let count = 0;
    for await (const entry of zip.eachEntry()) {
      if (++count > MAX_ENTRIES) throw new BadArchive('it holds too many files');
      yield entry;
      if (count % ENTRIES_AT_ONCE === 0) await breathe();
    }
  } catch (error) {
    if (error instanceof BadArchive || (error instanceof Error && 'code' in error)) throw error;
    throw new BadArchive(error instanceof Error ? error.message : 'it is damaged');
  }
}

function readerOf(Base: typeof RandomAccessReader, source: ObjectWindow): RandomAccessReader {
  class Reader extends Base {
    override read(
      target: Buffer,
      offset: number,
      length: number,
      position: number,
      done: (error: Error | null) => void,
    ): void {
      source.read(position, length).then((bytes) => {
        if (bytes.length < length) done(new BadArchive('it ends too early'));
        else {
          bytes.copy(target, offset);
          done(null);
        }
      }, done);
    }

    /** Only for the bytes of files, which are not read this way. */
    override _readStreamForRange(): PassThrough {
      return new PassThrough().end();
    }
  }
  return new Reader();
}

function pathOf(entry: Entry, yauzl: typeof import('yauzl')): string | null {
  const { generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields } = entry;
  const path = yauzl.getFileNameLowLevel(flags, raw, extraFields, false);
  const isOdd = path === '' || path.includes('\0') || path.includes('\ufffd');
  return isOdd || yauzl.validateFileName(path) !== null ? null : path;
}

const UNIX = 3;
const TYPE_MASK = 0o170000;
const LINK = 0o120000;

function entryOf(entry: Entry, path: string): ZipEntry {
  const mode = entry.versionMadeBy >> 8 === UNIX ? entry.externalFileAttributes >>> 16 : 0o100644;
  const isLink = (mode & TYPE_MASK) === LINK;
  return {
    path,
    kind: isLink ? 'link' : path.endsWith('/') ? 'directory' : 'file',
    offset: entry.relativeOffsetOfLocalHeader,
    packedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    crc32: entry.crc32,
    method: entry.compressionMethod,
    encrypted: entry.isEncrypted(),
    mode: mode & 0o7777,
  };
}
