/** What comes first in the memory that the threads of a search share; then a position and a count for each of them. */
const STOP = 0;
const POSITION = 1;
const HITS = 2;
const PER_PART = 2;
const MAX_POSITION = 2 ** 31 - 1;

/** One of the parts into which a search may be divided. */
export interface PartOfSearch {
  /** The first one begins, and decides whether the others are needed. */
  part: number;
  parts: number;
  /** With fewer chunks that may match it does not divide the search. */
  worthDividing: number;
  shared: SharedArrayBuffer;
}

/** Memory for a search in so many parts. */
export function sharedMemory(parts: number): SharedArrayBuffer {
  return new SharedArrayBuffer((1 + PER_PART * parts) * Int32Array.BYTES_PER_ELEMENT);
}

/** Ends a search in all of its threads. They are busy: a message would reach them too late. */
export function stopSearch(shared: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(shared), STOP, 1);
}

/**
 * What one thread has to do of a search, and how far the others are. Each looks into frames of its own, in the order of
 * paths, and all of them end when those before them have enough hits together: no thread reads much that another one
 * makes superfluous.
 */
export class Share {
  readonly #part: number;
  readonly #shared: Int32Array;
  readonly #divide: () => void;
  readonly #worthDividing: number;
  #parts: number;
  #hits = 0;

  /** @param divide has the other parts begun */
  constructor({ part, parts, shared, worthDividing }: PartOfSearch, divide: () => void) {
    this.#part = part;
    this.#parts = parts;
    this.#shared = new Int32Array(shared);
    this.#divide = divide;
    this.#worthDividing = worthDividing;
  }

  /** All of a search that nobody stops. */
  static whole(): Share {
    return new Share({ part: 0, parts: 1, worthDividing: 0, shared: sharedMemory(1) }, () => {});
  }

  /** To be told before the search goes through so many chunks: a few take less time than to have others help. */
  begin(chunks: number): void {
    if (this.#part > 0) return;
    if (chunks < this.#worthDividing) this.#parts = 1;
    else if (this.#parts > 1) this.#divide();
  }

  get isWhole(): boolean {
    return this.#parts === 1;
  }

  get stopped(): boolean {
    return Atomics.load(this.#shared, STOP) === 1;
  }

  /** Whether this thread looks into the frame; the same question has the same answer in each search. */
  owns(segment: number, frame: number): boolean {
    return (
      this.isWhole || (Math.imul(frame ^ (segment << 20), 0x9e3779b1) >>> 16) % this.#parts === this.#part
    );
  }

  /** Whether what only the repositories hold is for this thread. */
  get ownsOversized(): boolean {
    return this.#part === 0;
  }

  /** Hits were found in a path; `position` counts the paths in order, null where that is not known. */
  found(position: number | null, hits: number): void {
    this.#hits += hits;
    if (this.isWhole || position === null || position > MAX_POSITION) return;
    // Who reads the count before the position knows that so many lie there or before.
    const at = this.#part * PER_PART;
    Atomics.store(this.#shared, at + POSITION, position);
    Atomics.store(this.#shared, at + HITS, this.#hits);
  }

  /** Whether so many hits lie before the position, those of the other threads included. */
  enough(position: number | null, limit: number): boolean {
    if (this.isWhole || position === null) return this.#hits >= limit;
    let hits = this.#hits;
    for (let part = 0; part < this.#parts; part++) {
      if (part === this.#part) continue;
      const found = Atomics.load(this.#shared, part * PER_PART + HITS);
      if (Atomics.load(this.#shared, part * PER_PART + POSITION) < position) hits += found;
    }
    return hits >= limit;
  }
}
