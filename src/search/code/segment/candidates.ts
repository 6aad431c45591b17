import { type Bitmap, bitsOf, countBits, hasBit } from './bitmap.ts';

/** Which blobs may match, told from the index alone: nothing is decoded. Blobs that are not here do not match. */
export interface Candidates {
  /** Chunks that may match: 0 means that nothing does; few, that it is quicker to go through `blobs()`. */
  readonly chunks: number;
  /** The chunks themselves; null for all. */
  readonly bitmap: Bitmap | null;
  has(blob: number): boolean;
  hasChunk(chunk: number): boolean;
  /** Ascending. */
  blobs(): Iterable<number>;
}

export class BlobCandidates implements Candidates {
  readonly bitmap: Bitmap | null;
  readonly #firstChunks: Uint32Array;
  #count: number | undefined;

  constructor(bitmap: Bitmap | null, firstChunks: Uint32Array) {
    this.bitmap = bitmap;
    this.#firstChunks = firstChunks;
  }

  get chunks(): number {
    this.#count ??= this.bitmap ? countBits(this.bitmap) : this.#firstChunks.at(-1)!;
    return this.#count;
  }

  has(blob: number): boolean {
    const end = this.#firstChunks[blob + 1]!;
    for (let chunk = this.#firstChunks[blob]!; chunk < end; chunk++) if (this.hasChunk(chunk)) return true;
    return false;
  }

  hasChunk(chunk: number): boolean {
    return this.bitmap === null || hasBit(this.bitmap, chunk);
  }

  *blobs(): Generator<number> {
    const { bitmap } = this;
    if (!bitmap) {
      for (let blob = 0; blob < this.#firstChunks.length - 1; blob++) if (this.has(blob)) yield blob;
      return;
    }
    let end = 0;
    for (const chunk of bitsOf(bitmap)) {
      if (chunk < end) continue;
      const blob = this.#blobOf(chunk);
      end = this.#firstChunks[blob + 1]!;
      yield blob;
    }
  }

  /** The last blob that begins at the chunk or before: empty ones, which hold none, stand before it. */
  #blobOf(chunk: number): number {
    let low = 0;
    let high = this.#firstChunks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#firstChunks[middle]! <= chunk) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
