import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { ObjectTooLarge, type StoredObject } from './object-store.ts';

/** Passes bytes through, counts and hashes them, and fails with `ObjectTooLarge` at the first byte too many. */
export class Measure extends Transform {
  readonly #hash = createHash('sha256');
  readonly #maxBytes: number;
  #size = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    super();
    this.#maxBytes = maxBytes;
  }

  /** Only once the stream has ended. */
  result(): StoredObject {
    return { size: this.#size, sha256: this.#hash.digest('hex') };
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) {
      done(new ObjectTooLarge(this.#maxBytes));
      return;
    }
    this.#hash.update(chunk);
    done(null, chunk);
  }
}
