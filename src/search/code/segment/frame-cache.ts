import { LRUCache } from 'lru-cache';
import type { Chunk } from './chunk.ts';

/** Chunks of one segment that an id of the cache tells apart from those of others: more than a segment can hold. */
const CHUNKS_PER_OWNER = 2 ** 28;
/** What an entry costs beside its text. */
const ENTRY_BYTES = 256;

/** Decoded chunks of all segments that share it, the least recently used dropped first; bounded by bytes. */
export class FrameCache {
  readonly #chunks: LRUCache<number, Chunk>;
  #owners = 0;

  constructor(bytes: number) {
    this.#chunks = new LRUCache({ maxSize: bytes, sizeCalculation: ({ text }) => text.length + ENTRY_BYTES });
  }

  /** An id for a segment, never given twice. What a closed segment leaves behind ages out. */
  newOwner(): number {
    return this.#owners++;
  }

  /** The chunk, decoded by `decode` unless it is here. One that is larger than the whole cache is not kept. */
  get(owner: number, chunk: number, decode: () => Chunk): Chunk {
    const key = owner * CHUNKS_PER_OWNER + chunk;
    const kept = this.#chunks.get(key);
    if (kept !== undefined) return kept;
    const decoded = decode();
    this.#chunks.set(key, decoded);
    return decoded;
  }
}
