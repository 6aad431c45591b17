import { LRUCache } from 'lru-cache';

/** Frames (by their first chunks) or lists that an id tells apart from those of others: more than a segment can hold. */
const CHUNKS_PER_OWNER = 2 ** 28;
/** What an entry costs beside its text. */
const ENTRY_BYTES = 256;

/**
 * Texts of decoded frames, and lists as they are in the file, of all segments that share it; the least recently used are
 * dropped first. Bounded by bytes.
 */
export class FrameCache {
  readonly #frames: LRUCache<number, Buffer>;
  #owners = 0;

  constructor(bytes: number) {
    this.#frames = new LRUCache({ maxSize: bytes, sizeCalculation: (text) => text.length + ENTRY_BYTES });
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
}
