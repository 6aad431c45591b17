import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { SEGMENT_SUFFIX, type SegmentFacts } from '../segment/format.ts';
import { SegmentBuilder } from '../segment/write/builder.ts';
import { type GitSource, type ReadBlob, readBlobs } from './git-reader.ts';
import { segmentFolder, segmentPath } from './store.ts';
import type { NewBlobs } from './write-store.ts';

/** Where git looks for a NUL to tell binary from text. */
const BINARY_WINDOW = 8_000;
/** Of a blob that is in no segment; what a hit by name shows. */
export const HEAD_BYTES = 1_024;
/** A segment of so many chunks took 60 MB while it was built; smaller ones cost each search a little more. */
const SEGMENT_CHUNKS = 16_000;
/** One blob is in memory as a whole while its segment is built. In larger ones git is asked at each search. */
export const MAX_BLOB_BYTES = 64 * 1024 * 1024;

/** Sorts blobs into segment files and those without lines to search. The files are named by the prefix and a count. */
export class SegmentOutput {
  readonly #dir: string;
  readonly #prefix: string;
  readonly #result: NewBlobs = { segments: [], outside: [] };
  #builder = new SegmentBuilder();
  #oids: string[] = [];

  constructor(dir: string, prefix: string) {
    this.#dir = dir;
    this.#prefix = prefix;
  }

  add({ oid, data, whole }: ReadBlob): void {
    const isText = data.length > 0 && !data.subarray(0, BINARY_WINDOW).includes(0);
    if (!isText || !whole) {
      const head = Uint8Array.from(data.subarray(0, HEAD_BYTES));
      this.#result.outside.push({ oid, head, oversized: isText });
      return;
    }
    this.#builder.add({ oid, bytes: data });
    this.#oids.push(oid);
    if (this.#builder.chunks >= SEGMENT_CHUNKS) this.#write();
  }

  finish(): NewBlobs {
    if (this.#oids.length > 0) this.#write();
    return this.#result;
  }

  #write(): void {
    const file = `${this.#prefix}-${this.#result.segments.length}${SEGMENT_SUFFIX}`;
    const builder = this.#builder;
    const { bytes } = writeSegmentFile(this.#dir, file, (path) => builder.write(path));
    this.#result.segments.push({ file, bytes, oids: this.#oids });
    this.#builder = new SegmentBuilder();
    this.#oids = [];
  }
}

export interface ReadPlace extends GitSource {
  /** Larger blobs stay outside. */
  maxBlobBytes: number;
}

/** Reads these blobs, in this order, into the output. */
export async function readInto(
  output: SegmentOutput,
  { maxBlobBytes, ...source }: ReadPlace,
  oids: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const limits = { maxBytes: maxBlobBytes, headBytes: BINARY_WINDOW, signal };
  for await (const blob of readBlobs(source, oids, limits)) output.add(blob);
}

/** `write` syncs the file; its name is synced here, so that a row that names it outlives a power cut together with it. */
export function writeSegmentFile(
  dir: string,
  file: string,
  write: (path: string) => SegmentFacts,
): SegmentFacts {
  const path = segmentPath(dir, file);
  const facts = write(`${path}.tmp`);
  renameSync(`${path}.tmp`, path);
  const folder = openSync(segmentFolder(dir), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return facts;
}
