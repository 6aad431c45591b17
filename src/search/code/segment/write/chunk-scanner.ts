import { NEWLINE_CLASS } from '../grams/fold.ts';
import { bitOfPrint, GRAM, printOf } from '../grams/signature.ts';
import { TRIGRAM_CODES } from '../grams/trigrams.ts';

const CODE_MASK = TRIGRAM_CODES - 1;

/** Reads the classes of the pieces of a chunk, for trigrams and signatures in one go: building spends its time here. */
export class ChunkScanner {
  /** One bit per trigram: 256 kB, which stay in the processor's cache; cleared through `#codes`, not as a whole. */
  readonly #seen = new Uint32Array(TRIGRAM_CODES / 32);
  #codes = new Uint32Array(64 * 1024);
  #count = 0;

  /** Takes classes[0..length) of a piece. Sets the bits of its runs of five in `signature`, which comes empty. */
  scan(classes: Uint8Array, length: number, signature: Uint8Array): void {
    if (this.#codes.length < this.#count + length) this.#grow(this.#count + length);
    const seen = this.#seen;
    const codes = this.#codes;
    const bits = signature.length * 8;
    let count = this.#count;
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
    this.#count = count;
  }

  /** The distinct trigrams of the pieces since the last call, good until the next `scan`. */
  endChunk(): Uint32Array {
    const codes = this.#codes.subarray(0, this.#count);
    for (let i = 0; i < codes.length; i++) this.#seen[codes[i]! >>> 5] = 0;
    this.#count = 0;
    return codes;
  }

  #grow(length: number): void {
    const longer = new Uint32Array(length * 2);
    longer.set(this.#codes.subarray(0, this.#count));
    this.#codes = longer;
  }
}
