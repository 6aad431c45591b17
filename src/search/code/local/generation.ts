/**
 * Counts the states of the index, in memory that the one thread that writes shares with those that search: who has read the
 * latest one need not ask the database, which takes 20 to 100 us, whether there is another.
 */
export class Generation {
  readonly memory: SharedArrayBuffer;
  readonly #count: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#count = new Int32Array(memory);
  }

  /** To be read before the state is: what is read then is of this generation or a later one. */
  get latest(): number {
    return Atomics.load(this.#count, 0);
  }

  /** A new state is in the database. */
  advance(): void {
    Atomics.add(this.#count, 0, 1);
  }
}
