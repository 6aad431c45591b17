import { numbersOfBitmap } from '../bitmap.ts';
import { isDense, MAX_VARINT_BYTES } from '../format.ts';
import { TRIGRAM_CODES } from '../grams/trigrams.ts';
import { readRice, riceParameter } from '../rice.ts';
import type { SegmentFile } from '../segment-file.ts';
import { WindowReader } from '../window-reader.ts';
import { DictionaryWriter } from './dictionary-writer.ts';
import type { SegmentWriter } from './file-writer.ts';

/** Where a chunk of an input goes when it is not kept. */
const DROPPED = 0xffffffff;
/** Of each input. */
const WINDOW_BYTES = 256 * 1024;

/** One input while its dictionary is gone through, trigram by trigram. */
interface Input {
  file: SegmentFile;
  lists: WindowReader;
  /** The chunk's number in the new segment. */
  renumber: Uint32Array;
  row: number;
}

/** The lists of several segments as those of one, of the chunks that are kept. */
export class MergedPostings {
  readonly #inputs: Input[];
  readonly #chunks: number;
  /** The list at hand: its numbers in an input, then its gaps as varints, how many, and which chunk was the last. */
  readonly #numbers: Uint32Array;
  readonly #varints: Uint8Array;
  #length = 0;
  #count = 0;
  #next = 0;

  /** @param runs the chunks that are kept, in their new order */
  constructor(
    files: readonly SegmentFile[],
    runs: readonly { file: SegmentFile; from: number; to: number }[],
  ) {
    this.#inputs = files.map((file) => ({
      file,
      lists: new WindowReader(file, 'postings', WINDOW_BYTES),
      renumber: new Uint32Array(file.footer.chunks).fill(DROPPED),
      row: 0,
    }));
    const inputOf = new Map(this.#inputs.map((input) => [input.file, input]));
    let chunk = 0;
    for (const { file, from, to } of runs) {
      const { renumber } = inputOf.get(file)!;
      for (let old = from; old < to; old++) renumber[old] = chunk++;
    }
    this.#chunks = chunk;
    this.#numbers = new Uint32Array(Math.max(1, ...files.map(({ footer }) => footer.chunks)));
    this.#varints = new Uint8Array(chunk * MAX_VARINT_BYTES);
  }

  /** Writes the lists and answers the dictionary. */
  write(writer: SegmentWriter) {
    const dictionary = new DictionaryWriter(writer, this.#chunks);
    for (const code of this.#codes()) {
      this.#mergeLists(code);
      if (this.#count > 0) dictionary.add(code, this.#count, this.#varints.subarray(0, this.#length));
    }
    return dictionary.finish();
  }

  /** Every trigram that an input has, ascending. */
  *#codes(): Generator<number> {
    const present = new Uint8Array(TRIGRAM_CODES);
    for (const { file } of this.#inputs) for (const code of file.tables.codes) present[code] = 1;
    for (let code = present.indexOf(1); code >= 0; code = present.indexOf(1, code + 1)) yield code;
  }

  #mergeLists(code: number): void {
    this.#length = 0;
    this.#count = 0;
    this.#next = 0;
    for (const input of this.#inputs) {
      if (input.file.tables.codes[input.row] === code) this.#append(input, input.row++);
    }
  }

  #append({ file, lists, renumber }: Input, row: number): void {
    const bytes = lists.read(file.placeOfList(row));
    const numbers = this.#numbers;
    const { chunks } = file.footer;
    const listed = file.tables.counts[row]!;
    const count = isDense(listed, chunks)
      ? numbersOfBitmap(bytes, numbers)
      : readRice(bytes, riceParameter(listed, chunks), listed, numbers);
    for (let i = 0; i < count; i++) numbers[i] = renumber[numbers[i]!]!;
    this.#put(numbers, count);
  }

  /** Adds the gaps between the chunks that are kept. In locals throughout: this is all that a merge computes. */
  #put(chunks: Uint32Array, count: number): void {
    const varints = this.#varints;
    let length = this.#length;
    let next = this.#next;
    for (let i = 0; i < count; i++) {
      const chunk = chunks[i]!;
      if (chunk === DROPPED) continue;
      let gap = chunk - next;
      for (; gap >= 0x80; gap >>>= 7) varints[length++] = (gap & 0x7f) | 0x80;
      varints[length++] = gap;
      next = chunk + 1;
      this.#count++;
    }
    this.#length = length;
    this.#next = next;
  }
}
