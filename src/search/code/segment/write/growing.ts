/** Numbers of 32 bits in an array that grows: 4 bytes each where a JavaScript array of objects would take 50. */
export class NumberList {
  #values: Uint32Array;
  length = 0;

  constructor(capacity = 64) {
    this.#values = new Uint32Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  /** Good until the next `push`. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.length);
  }
}

const SLAB_BYTES = 1024 * 1024;

/** Bytes that are gathered to be written out: a few large pieces, however many small ones come in. */
export class ByteList {
  readonly #full: Buffer[] = [];
  #slab: Buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #used = 0;

  push(bytes: Uint8Array): void {
    if (bytes.length > this.#slab.length - this.#used) this.#grow(bytes.length);
    this.#slab.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** In the order in which they came. */
  *pieces(): Iterable<Buffer> {
    yield* this.#full;
    yield this.#slab.subarray(0, this.#used);
  }

  #grow(needed: number): void {
    this.#full.push(this.#slab.subarray(0, this.#used));
    this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, needed));
    this.#used = 0;
  }
}
