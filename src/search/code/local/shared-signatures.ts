import { type FileHandle, open } from 'node:fs/promises';
import type { Log } from '../../../platform/log.ts';
import { FOOTER_BYTES, readFooter, SegmentDamaged } from '../segment/format.ts';
import { type SegmentRow, segmentPath } from './store.ts';

export interface SignatureLimits {
  /** Of all segments together, by default 64 MB, those of a GB of text; those that find no room any more are read from their files. */
  maxBytes?: number;
  /** Smaller segments, by default those below 8 MB, come and go with every few pushes, and have little to read. */
  minSegmentBytes?: number;
}

interface Options extends SignatureLimits {
  dir: string;
  log: Log;
}

const MB = 1024 * 1024;

/** By segment. */
export type SignatureMemory = ReadonlyMap<number, SharedArrayBuffer>;

/**
 * The signatures of large segments in memory that all search threads share, as long as there is a thread. A search of many candidates would read as
 * often for them as for everything else. They are read in the background; until they are there threads read the files.
 */
export class SharedSignatures {
  readonly #options: Required<Options>;
  readonly #held = new Map<number, SharedArrayBuffer>();
  #listed: readonly SegmentRow[];
  #isWanted = false;
  #version = 0;
  /** The end of what is being read. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: Options, segments: readonly SegmentRow[]) {
    this.#options = { maxBytes: 64 * MB, minSegmentBytes: 8 * MB, ...options };
    this.#listed = segments;
  }

  /** Another one when `held` has changed. */
  get version(): number {
    return this.#version;
  }

  get held(): SignatureMemory {
    return this.#held;
  }

  /** These are the segments now. */
  follow(segments: readonly SegmentRow[]): void {
    this.#listed = segments;
    this.#read();
  }

  /** There are threads that search. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#read();
  }

  /** There are none: the memory is given back. */
  release(): void {
    this.#isWanted = false;
    this.#held.clear();
    this.#version++;
  }

  /** Nothing is being read any more. */
  settled(): Promise<void> {
    return this.#reading;
  }

  #read(): void {
    this.#reading = this.#reading.then(() => this.#readMissing());
  }

  async #readMissing(): Promise<void> {
    for (const id of this.#held.keys()) if (!this.#isListed(id) && this.#held.delete(id)) this.#version++;
    for (const { id, file, bytes } of this.#listed) {
      if (!this.#isWanted) return;
      if (this.#held.has(id) || bytes < this.#options.minSegmentBytes) continue;
      const memory = await this.#signaturesOf(file);
      if (!memory || !this.#isWanted || !this.#isListed(id)) continue;
      this.#held.set(id, memory);
      this.#version++;
    }
  }

  #isListed(id: number): boolean {
    return this.#listed.some((segment) => segment.id === id);
  }

  /** Null where there is no room for them, or no such file: a merge may just have taken it away. */
  async #signaturesOf(file: string): Promise<SharedArrayBuffer | null> {
    const { dir, log, maxBytes } = this.#options;
    const taken = [...this.#held.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    try {
      await using handle = await open(segmentPath(dir, file));
      return await readSignatures(handle, maxBytes - taken);
    } catch (error) {
      log.debug({ err: error, file }, 'signatures of a segment of the code index were not read');
      return null;
    }
  }
}

async function readSignatures(handle: FileHandle, room: number): Promise<SharedArrayBuffer | null> {
  const { size } = await handle.stat();
  const end = Buffer.alloc(Math.min(FOOTER_BYTES, size));
  await handle.read(end, 0, end.length, size - end.length);
  const { start, length } = readFooter(end, size).sections.signatures;
  if (length > room) return null;
  const memory = new SharedArrayBuffer(length);
  const bytes = new Uint8Array(memory);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(bytes, at, length - at, start + at);
    if (bytesRead === 0) throw new SegmentDamaged('the file ends early');
    at += bytesRead;
  }
  return memory;
}
