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
/**
 * A build of two such segments at once took 580 MB; of a third of the size, 440. Where there are three of them a search in the middle reads 12
 * lists, with seven of a third of the size 20, and takes 8 % longer.
 */
const SEGMENT_CHUNKS = 48_000;
/** One blob is in memory as a whole while its segment is built. In larger ones git is asked at each search. */
export const MAX_BLOB_BYTES = 64 * 1024 * 1024;

/** Sorts blobs into segment files and those without lines to search. The files are named by the prefix and a count. */
export class SegmentOutput {
  readonly #dir: string;
  readonly #prefix: string;
  readonly #result: NewBlobs = { segments: [], outside: [] };
  #builder: SegmentBuilder | null = null;
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
    this.#builder ??= new SegmentBuilder(unfinished(this.#dir, this.#file));
    this.#builder.add({ oid, bytes: data });
    this.#oids.push(oid);
    if (this.#builder.chunks >= SEGMENT_CHUNKS) this.#finish(this.#builder);
  }

  finish(): NewBlobs {
    if (this.#builder) this.#finish(this.#builder);
    return this.#result;
  }

  /** The file that is being written goes; those that are finished are the caller's to remove. */
  abandon(): void {
    this.#builder?.abandon();
    this.#builder = null;
  }

  get #file(): string {
    return `${this.#prefix}-${this.#result.segments.length}${SEGMENT_SUFFIX}`;
  }

  #finish(builder: SegmentBuilder): void {
    const file = this.#file;
    this.#builder = null;
    const { bytes } = builder.finish();
    settle(this.#dir, file);
    this.#result.segments.push({ file, bytes, oids: this.#oids });
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
  try {
    for await (const blob of readBlobs(source, oids, limits)) output.add(blob);
  } catch (error) {
    output.abandon();
    throw error;
  }
}

/** Writes a segment file as a whole, and syncs it. */
export function writeSegmentFile(
  dir: string,
  file: string,
  write: (path: string) => SegmentFacts,
): SegmentFacts {
  const facts = write(unfinished(dir, file));
  settle(dir, file);
  return facts;
}

const unfinished = (dir: string, file: string): string => `${segmentPath(dir, file)}.tmp`;

/** The file is whole and synced; its name is synced here, so that a row that names it outlives a power cut together with it. */
function settle(dir: string, file: string): void {
  renameSync(unfinished(dir, file), segmentPath(dir, file));
  const folder = openSync(segmentFolder(dir), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
