import { type Bitmap, emptyBitmap } from '../bitmap.ts';
import { kernel, ROOM } from './kernel.ts';

/** The list of a trigram, as it is in the file. */
export interface ChunkList {
  bytes: Uint8Array;
  /** How many chunks it names. */
  count: number;
  /** That of its Rice code; null for a bitmap. */
  parameter: number | null;
}

/** Words are compared by four. */
const STEP_BITS = 128;

/**
 * The chunks that several lists have in common. It lies in memory that others use as well: nothing else may be done between the first call
 * and the last.
 */
export class CommonChunks {
  readonly #chunks: number;
  readonly #words: number;

  constructor(chunks: number) {
    this.#chunks = chunks;
    this.#words = Math.max(1, Math.ceil(chunks / STEP_BITS)) * (STEP_BITS / 32);
    const opened = kernel();
    opened.reserve(this.#words * 4);
    opened.bytes.fill(0xff, ROOM, this.#listAt);
  }

  /** Leaves those that the list names too. */
  keep({ bytes, count, parameter }: ChunkList): void {
    const opened = kernel();
    const list = this.#listAt;
    const end = list + bytes.length;
    opened.reserve(this.#words * 4 + Math.max(bytes.length, this.#words * 4));
    opened.bytes.set(bytes, list);
    if (parameter !== null) {
      opened.loops.keep(list, bytes.length, parameter, count, ROOM, this.#words);
      return;
    }
    opened.bytes.fill(0, end, list + this.#words * 4);
    opened.loops.keepDense(list, ROOM, this.#words);
  }

  /** How many there are. */
  get size(): number {
    return kernel().loops.count(ROOM, this.#words);
  }

  toBitmap(): Bitmap {
    const bitmap = emptyBitmap(this.#chunks);
    new Uint8Array(bitmap.buffer).set(kernel().bytes.subarray(ROOM, ROOM + bitmap.byteLength));
    return bitmap;
  }

  get #listAt(): number {
    return ROOM + this.#words * 4;
  }
}
