import { NEWLINE_CLASS } from '../grams/fold.ts';
import { bitOfPrint, GRAM, printOf } from '../grams/signature.ts';
import { TRIGRAM_CODES } from '../grams/trigrams.ts';

const CODE_MASK = TRIGRAM_CODES - 1;

/** Reads the classes of one chunk after another, for trigrams and signature in one go: building spends its time here. */
export class ChunkScanner {
  /** One bit per trigram: 256 kB, which stay in the processor's cache; cleared through `#codes`, not as a whole. */
  readonly #seen = new Uint32Array(TRIGRAM_CODES / 32);
  #codes = new Uint32Array(64 * 1024);

  /**
   * The distinct trigrams of classes[0..length), good until the next call. Sets the bits of its runs of five in
   * `signature`, which comes empty.
   */
  scan(classes: Uint8Array, length: number, signature: Uint8Array): Uint32Array {
    if (this.#codes.length < length) this.#codes = new Uint32Array(length);
    const count = this.#gather(classes, length, signature);
    const codes = this.#codes.subarray(0, count);
    for (let i = 0; i < count; i++) this.#seen[codes[i]! >>> 5] = 0;
    return codes;
  }

  #gather(classes: Uint8Array, length: number, signature: Uint8Array): number {
    const seen = this.#seen;
    const codes = this.#codes;
    const bits = signature.length * 8;
    let count = 0;
    let code = 0;
    let older = 0;
    let run = 0;
    for (let i = 0; i < length; i++) {
      const next = classes[i]!;
      if (next === NEWLINE_CLASS) {
        run = 0;
        continue;
      }
      older = ((older << 7) | (code >>> 14)) & 0x3fff;
      code = ((code << 7) | next) & CODE_MASK;
      if (++run < 3) continue;
      const word = code >>> 5;
      const mask = 1 << (code & 31);
      if ((seen[word]! & mask) === 0) {
        seen[word]! |= mask;
        codes[count++] = code;
      }
      if (run < GRAM) continue;
      const bit = bitOfPrint(printOf(older, code), bits);
      signature[bit >>> 3]! |= 1 << (bit & 7);
    }
    return count;
  }
}
