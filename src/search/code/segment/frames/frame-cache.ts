import { LRUCache } from 'lru-cache';
import { FRAME_BYTES } from './frame.ts';
import { SLACK } from './zstd-stream.ts';

/** Frames (by their first pieces) or lists that an id tells apart from those of others: more than a segment can hold. */
const NUMBERS_PER_OWNER = 2 ** 28;
/** Of nearly every frame. */
const ROOM_BYTES = FRAME_BYTES + SLACK;
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
  readonly #free: ArrayBuffer[] = [];
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
    const key = owner * NUMBERS_PER_OWNER + first;
    const kept = this.#frames.get(key);
    if (kept !== undefined) return kept;
    const decoded = decode();
    this.#frames.set(key, decoded);
    return decoded;
  }

  /** Memory to decode a frame into: that of one which was dropped, where there is any. What is much shorter gets its own. */
  readonly allocate = (bytes: number): Buffer => {
    if (bytes > ROOM_BYTES || bytes * 2 < ROOM_BYTES) return Buffer.allocUnsafeSlow(bytes);
    const free = this.#free.pop();
    return free ? Buffer.from(free, 0, bytes) : Buffer.allocUnsafeSlow(ROOM_BYTES).subarray(0, bytes);
  };

  /**
   * Left to V8, which collects after every 8 MB of such buffers, a search of many frames spends a fifth of its time
   * collecting: what is full-sized is used again, larger ones are given back at once.
   */
  #drop(text: Buffer): void {
    this.#dropped.push(text);
    if (this.#dropped.length <= STILL_IN_USE) return;
    const { buffer, length } = this.#dropped.shift()!;
    if (!(buffer instanceof ArrayBuffer)) return;
    if (buffer.byteLength === ROOM_BYTES) this.#free.push(buffer);
    // short ones lie in memory that they share with others
    else if (buffer.byteLength - length <= SLACK) buffer.transfer(0);
  }
}
