/** What comes first in the memory that the threads of a search share; then a position and a count for each of them. */
const STATE = 0;
const CLAIMED = 1;
const POSITION = 2;
const HITS = 3;
const PER_PART = 2;

const RUNNING = 0;
const STOPPED = 1;
/** Others than the first thread take part. */
const HELPED = 2;
/** The first thread has come to its end alone. */
const OVER = 3;
const MAX_POSITION = 2 ** 31 - 1;
/** Suspects that a thread takes at a time: of 5 to 60 us each. */
const BATCH = 8;

/** One of the parts into which a search is divided. */
export interface PartOfSearch {
  /** The first one searches in any case; the others help as far as they come in time. */
  part: number;
  shared: SharedArrayBuffer;
}

/** Memory for a search in so many parts. */
export function sharedMemory(parts: number): SharedArrayBuffer {
  return new SharedArrayBuffer((POSITION + PER_PART * parts) * Int32Array.BYTES_PER_ELEMENT);
}

/** Ends a search in all of its threads. They are busy: a message would reach them too late. */
export function stopSearch(shared: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(shared), STATE, STOPPED);
}

/**
 * What one thread has to do of a search, and how far the others are. All of them go through the same suspects in the same order, take
 * some at a time, each those that no other has taken, and end when those before them have enough hits together: no thread
 * reads much that another one makes superfluous, and one that comes late takes of what is left.
 */
export class Share {
  readonly #part: number;
  readonly #shared: Int32Array;
  /** Suspects from .. to (without it) are taken; from there on nothing is known. */
  #from = 0;
  #to = 0;
  #hits = 0;

  constructor({ part, shared }: PartOfSearch) {
    this.#part = part;
    this.#shared = new Int32Array(shared);
  }

  /** All of a search that nobody stops. */
  static whole(): Share {
    return new Share({ part: 0, shared: sharedMemory(1) });
  }

  get stopped(): boolean {
    return Atomics.load(this.#shared, STATE) === STOPPED;
  }

  /** Whether the first thread has ended without this one, which then is not needed. */
  get isOver(): boolean {
    return this.#part > 0 && Atomics.load(this.#shared, STATE) === OVER;
  }

  /** To be asked before the first suspect: whether this thread is still in time to take part. From then on the others wait for it. */
  join(): boolean {
    if (this.#part === 0) return true;
    const state = Atomics.compareExchange(this.#shared, STATE, RUNNING, HELPED);
    return state === RUNNING || state === HELPED;
  }

  /** This thread is done. False when it was the first one, and alone: then no other can join any more. */
  end(): boolean {
    return this.#part > 0 || Atomics.compareExchange(this.#shared, STATE, RUNNING, OVER) !== RUNNING;
  }

  /** Whether the suspect is for this thread, by its place in the order: to be asked about each of them, ascending. */
  owns(place: number): boolean {
    if (place >= this.#to) {
      this.#from = Atomics.add(this.#shared, CLAIMED, BATCH);
      this.#to = this.#from + BATCH;
    }
    return place >= this.#from;
  }

  /** Hits were found in a path; `position` counts the paths in order, null where that is not known. */
  found(position: number | null, hits: number): void {
    this.#hits += hits;
    if (position === null || position > MAX_POSITION) return;
    // Who reads the count before the position knows that so many lie there or before.
    const at = this.#part * PER_PART;
    Atomics.store(this.#shared, at + POSITION, position);
    Atomics.store(this.#shared, at + HITS, this.#hits);
  }

  /** Whether so many hits lie before the position, those of the other threads included. */
  enough(position: number | null, limit: number): boolean {
    if (position === null) return this.#hits >= limit;
    let hits = this.#hits;
    for (let at = 0; at + HITS < this.#shared.length; at += PER_PART) {
      if (at === this.#part * PER_PART) continue;
      const found = Atomics.load(this.#shared, at + HITS);
      if (Atomics.load(this.#shared, at + POSITION) < position) hits += found;
    }
    return hits >= limit;
  }
}
