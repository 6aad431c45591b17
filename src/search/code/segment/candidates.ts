import { type Bitmap, bitsOf, countBits, hasBit } from './bitmap.ts';

/** Which blobs may match, told from the index alone: nothing is decoded. Blobs that are not here do not match. */
export interface Candidates {
  /** Chunks that may match: 0 means that nothing does; few, that it is quicker to go through `blobs()`. */
  readonly chunks: number;
  has(blob: number): boolean;
  hasChunk(chunk: number): boolean;
  /** Ascending. */
  blobs(): Iterable<number>;
}

export class BlobCandidates implements Candidates {
  /** Undefined when every chunk may match. */
  readonly #bitmap: Bitmap | undefined;
  readonly #firstChunks: Uint32Array;
  #count: number | undefined;

  constructor(bitmap: Bitmap | undefined, firstChunks: Uint32Array) {
    this.#bitmap = bitmap;
    this.#firstChunks = firstChunks;
  }

  get chunks(): number {
    this.#count ??= this.#bitmap === undefined ? this.#firstChunks.at(-1)! : countBits(this.#bitmap);
    return this.#count;
  }

  has(blob: number): boolean {
    const end = this.#firstChunks[blob + 1]!;
    for (let chunk = this.#firstChunks[blob]!; chunk < end; chunk++) if (this.hasChunk(chunk)) return true;
    return false;
  }

  hasChunk(chunk: number): boolean {
    return this.#bitmap === undefined || hasBit(this.#bitmap, chunk);
  }

  *blobs(): Generator<number> {
    const bitmap = this.#bitmap;
    if (bitmap === undefined) {
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
