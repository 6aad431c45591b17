import { TRIGRAM_CODES } from '../grams/trigrams.ts';
import { NumberList } from './growing.ts';

const FIRST_SLICE = 8;
const LARGEST_SLICE = 4096;
/** At the end of a slice that is full stands where the next one begins. */
const LINK_BYTES = 4;

/** What is kept for a list, side by side so that one memory access brings it all. */
const FIELDS = 8;
const HEAD = 0;
const TAIL = 1;
const LIMIT = 2;
const SLICE = 3;
const NEXT = 4;
const COUNT = 5;

/**
 * The chunks of each trigram while a segment is built: gaps between chunk numbers as varints, all lists in one arena. A
 * list is a chain of slices that double in size, so that neither the many short lists nor the few long ones waste much.
 */
export class PostingArena {
  /** 1 + number of the list, by code. Memory that is never touched is never taken from the system. */
  readonly #listOf = new Uint32Array(TRIGRAM_CODES);
  readonly #codes = new NumberList(1024);
  #lists = new Uint32Array(1024 * FIELDS);
  #found = new Uint32Array(32 * 1024);
  #arena: Buffer = Buffer.allocUnsafeSlow(256 * 1024);
  #used = 0;

  /** Notes that the chunk holds these trigrams, each named once. Chunks come in ascending order. */
  add(codes: Uint32Array, chunk: number): void {
    const found = this.#findLists(codes);
    const lists = this.#lists;
    const n = codes.length;
    for (let i = 0; i < n; i++) {
      const list = (found[i]! - 1) * FIELDS;
      const gap = chunk - lists[list + NEXT]!;
      const tail = lists[list + TAIL]!;
      lists[list + NEXT] = chunk + 1;
      lists[list + COUNT]!++;
      if (gap < 0x80 && tail !== lists[list + LIMIT]!) {
        this.#arena[tail] = gap;
        lists[list + TAIL] = tail + 1;
      } else {
        this.#append(list, gap);
      }
    }
  }

  /** The trigrams that there are, ascending. */
  codes(): Uint32Array {
    return this.#codes.view().slice().sort();
  }

  /** How many chunks hold the trigram. */
  count(code: number): number {
    return this.#lists[(this.#listOf[code]! - 1) * FIELDS + COUNT]!;
  }

  /** Copies the varints of a trigram to `out`, which has room for five a chunk, and answers how many bytes they are. */
  copy(code: number, out: Uint8Array): number {
    const list = (this.#listOf[code]! - 1) * FIELDS;
    const tail = this.#lists[list + TAIL]!;
    let length = 0;
    let start = this.#lists[list + HEAD]!;
    for (let size = FIRST_SLICE; ; size = Math.min(size * 2, LARGEST_SLICE)) {
      const end = start + size - LINK_BYTES;
      const isLast = tail >= start && tail <= end;
      const piece = this.#arena.subarray(start, isLast ? tail : end);
      out.set(piece, length);
      length += piece.length;
      if (isLast) return length;
      start = this.#arena.readUInt32LE(end);
    }
  }

  /**
   * 1 + number of the list of each trigram. A lookup misses the processor's caches; in a loop of their own several are on
   * their way at once, which makes `add` a third faster than it is with one loop for all.
   */
  #findLists(codes: Uint32Array): Uint32Array {
    if (this.#found.length < codes.length) this.#found = new Uint32Array(codes.length);
    const found = this.#found;
    const listOf = this.#listOf;
    const n = codes.length;
    for (let i = 0; i < n; i++) found[i] = listOf[codes[i]!]!;
    for (let i = 0; i < n; i++) if (found[i] === 0) found[i] = this.#begin(codes[i]!);
    return found;
  }

  #append(list: number, gap: number): void {
    let rest = gap;
    for (; rest >= 0x80; rest >>>= 7) this.#appendByte(list, (rest & 0x7f) | 0x80);
    this.#appendByte(list, rest);
  }

  #appendByte(list: number, byte: number): void {
    const lists = this.#lists;
    if (lists[list + TAIL]! === lists[list + LIMIT]!) this.#addSlice(list);
    this.#arena[lists[list + TAIL]!++] = byte;
  }

  #begin(code: number): number {
    const number = this.#codes.length;
    this.#codes.push(code);
    this.#listOf[code] = number + 1;
    const list = number * FIELDS;
    if (list === this.#lists.length) this.#lists = doubled(this.#lists, new Uint32Array(list * 2));
    const start = this.#take(FIRST_SLICE);
    this.#lists[list + HEAD] = start;
    this.#lists[list + TAIL] = start;
    this.#lists[list + LIMIT] = start + FIRST_SLICE - LINK_BYTES;
    this.#lists[list + SLICE] = FIRST_SLICE;
    return number + 1;
  }

  #addSlice(list: number): void {
    const size = Math.min(this.#lists[list + SLICE]! * 2, LARGEST_SLICE);
    const start = this.#take(size);
    this.#arena.writeUInt32LE(start, this.#lists[list + LIMIT]!);
    this.#lists[list + TAIL] = start;
    this.#lists[list + LIMIT] = start + size - LINK_BYTES;
    this.#lists[list + SLICE] = size;
  }

  #take(bytes: number): number {
    const start = this.#used;
    this.#used += bytes;
    if (this.#used > this.#arena.length) {
      this.#arena = doubled(this.#arena, Buffer.allocUnsafeSlow(this.#arena.length * 2));
    }
    return start;
  }
}

function doubled<T extends Uint8Array | Uint32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
