import { NEWLINE_CLASS } from './fold.ts';

export const TRIGRAM_CODES = 1 << 21;
const CODE_MASK = TRIGRAM_CODES - 1;

/** Finds the distinct trigrams of one text after another. */
export class TrigramCollector {
  /** One bit per code: 256 kB, which stay in the processor's cache; cleared through `codes`, not as a whole. */
  readonly #seen = new Uint32Array(TRIGRAM_CODES / 32);
  #codes = new Uint32Array(4096);

  /** The codes of classes[0..length), in order of appearance. What it answers is good until the next call. */
  collect(classes: Uint8Array, length: number): Uint32Array {
    if (this.#codes.length < length) this.#codes = new Uint32Array(length * 2);
    const count = this.#gather(classes, length);
    const codes = this.#codes.subarray(0, count);
    for (let i = 0; i < count; i++) this.#seen[codes[i]! >>> 5] = 0;
    return codes;
  }

  #gather(classes: Uint8Array, length: number): number {
    const seen = this.#seen;
    const codes = this.#codes;
    let count = 0;
    let code = 0;
    let run = 0;
    for (let i = 0; i < length; i++) {
      const next = classes[i]!;
      if (next === NEWLINE_CLASS) {
        run = 0;
        continue;
      }
      code = ((code << 7) | next) & CODE_MASK;
      if (++run < 3) continue;
      const word = code >>> 5;
      const bit = 1 << (code & 31);
      if ((seen[word]! & bit) !== 0) continue;
      seen[word]! |= bit;
      codes[count++] = code;
    }
    return count;
  }
}

/** The distinct trigrams of a short text without a newline. */
export function trigramsOf(classes: Uint8Array): Uint32Array {
  const codes = new Set<number>();
  for (let i = 2; i < classes.length; i++) {
    codes.add((classes[i - 2]! << 14) | (classes[i - 1]! << 7) | classes[i]!);
  }
  return Uint32Array.from(codes);
}
