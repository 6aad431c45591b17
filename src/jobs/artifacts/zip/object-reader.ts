import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';

/** Read at once: a list of 100,000 files comes in some thirty pieces instead of 200,000. */
const WINDOW = 256 * 1024;

/** A stored object as something to read small pieces of, one after the other. */
export class ObjectWindow {
  readonly size: number;
  readonly #objects: ObjectStore;
  readonly #key: string;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(objects: ObjectStore, { key, size }: { key: string; size: number }) {
    this.#objects = objects;
    this.#key = key;
    this.size = size;
  }

  /** So many bytes from there, fewer at the end of the object. */
  async read(position: number, length: number): Promise<Buffer> {
    const end = Math.min(position + length, this.size);
    if (position < this.#start || end > this.#start + this.#bytes.length) {
      const last = Math.min(this.size, Math.max(end, position + WINDOW)) - 1;
      if (last < position) return Buffer.alloc(0);
      this.#bytes = await buffer(await this.#objects.get(this.#key, { start: position, end: last }));
      this.#start = position;
    }
    return this.#bytes.subarray(position - this.#start, end - this.#start);
  }
}
