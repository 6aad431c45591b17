/** Characters of text that one signature stands for. */
const BLOCK = 8192;
/** What is looked for may begin in one block and end in the next: a signature knows that much of the next one, too. */
const OVERLAP = 256;
/** Bits of a signature. A block has some 1,500 different trigrams. */
const BITS = 8192;
const WORDS = BITS / 32;

/**
 * Which trigrams each stretch of a long text holds, so that a word which is nowhere, or in few places, is looked for only there:
 * the three megabytes of paths of 80,000 files are passed over in 10 us instead of 1 ms.
 */
export class PathGrams {
  readonly #text: string;
  readonly #bits: Uint32Array;

  constructor(text: string) {
    this.#text = text;
    this.#bits = new Uint32Array(Math.ceil(text.length / BLOCK) * WORDS);
    for (let at = 0; at + 2 < text.length; at++) {
      const gram = gramAt(text, at);
      const block = Math.floor(at / BLOCK);
      this.#mark(block, gram);
      if (block > 0 && at - block * BLOCK < OVERLAP) this.#mark(block - 1, gram);
    }
  }

  get bytes(): number {
    return this.#bits.byteLength;
  }

  /** Where `needle` begins at `from` or later, as `indexOf` has it. */
  indexOf(needle: string, from: number): number {
    const grams = gramsOf(needle.slice(0, OVERLAP));
    if (grams.length === 0) return this.#text.indexOf(needle, from);
    for (let start = from; start < this.#text.length; ) {
      const block = Math.floor(start / BLOCK);
      const end = (block + 1) * BLOCK;
      if (this.#mayHold(block, grams)) {
        const found = this.#text.slice(start, end + needle.length).indexOf(needle);
        if (found >= 0) return start + found;
      }
      start = end;
    }
    return -1;
  }

  #mark(block: number, gram: number): void {
    this.#bits[block * WORDS + (gram >>> 5)]! |= 1 << (gram & 31);
  }

  #mayHold(block: number, grams: readonly number[]): boolean {
    const base = block * WORDS;
    return grams.every((gram) => (this.#bits[base + (gram >>> 5)]! & (1 << (gram & 31))) !== 0);
  }
}

function gramsOf(needle: string): number[] {
  const grams: number[] = [];
  for (let at = 0; at + 2 < needle.length; at++) grams.push(gramAt(needle, at));
  return grams;
}

function gramAt(text: string, at: number): number {
  const three = (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2);
  return Math.imul(three, 0x9e3779b1) >>> (32 - Math.log2(BITS));
}
