import { LRUCache } from 'lru-cache';
import { FRAME_SLACK } from './frame.ts';

/** Frames (by their first chunks) or lists that an id tells apart from those of others: more than a segment can hold. */
const CHUNKS_PER_OWNER = 2 ** 28;
/** What an entry costs beside its text. */
const ENTRY_BYTES = 256;
/** Whoever holds a text looks at few others meanwhile: what was dropped before so many others is held by nobody. */
const STILL_IN_USE = 64;

/**
 * Texts of decoded frames, and lists as they are in the file, of all segments that share it; the least recently used are
 * dropped first. Bounded by bytes.
 */
export class FrameCache {
  readonly #frames: LRUCache<number, Buffer>;
  readonly #dropped: Buffer[] = [];
  #owners = 0;

  constructor(bytes: number) {
    this.#frames = new LRUCache({
      maxSize: bytes,
      sizeCalculation: (text) => text.length + ENTRY_BYTES,
      dispose: (text) => this.#drop(text),
    });
  }

  /** An id for the frames or the lists of a segment, never given twice. What a closed segment leaves behind ages out. */
  newOwner(): number {
    return this.#owners++;
  }

  /** The bytes, given by `decode` unless they are here. What is larger than the whole cache is not kept. */
  get(owner: number, first: number, decode: () => Buffer): Buffer {
    const key = owner * CHUNKS_PER_OWNER + first;
    const kept = this.#frames.get(key);
    if (kept !== undefined) return kept;
    const decoded = decode();
    this.#frames.set(key, decoded);
    return decoded;
  }

  /**
   * Gives the memory back at once. Left to V8, which collects after every 8 MB of such buffers, a search of many frames spends
   * a fifth of its time collecting.
   */
  #drop(text: Buffer): void {
    this.#dropped.push(text);
    if (this.#dropped.length <= STILL_IN_USE) return;
    const { buffer, length } = this.#dropped.shift()!;
    // Short ones lie in memory that they share with others.
    if (buffer instanceof ArrayBuffer && buffer.byteLength - length <= FRAME_SLACK) buffer.transfer(0);
  }
}
