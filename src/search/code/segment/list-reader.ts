import type { SegmentFile } from './segment-file.ts';

const WINDOW_BYTES = 256 * 1024;

/** Reads the lists of a segment in the order of its dictionary: one large read in place of thousands of small ones. */
export class ListReader {
  readonly #file: SegmentFile;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: SegmentFile) {
    this.#file = file;
  }

  /** Good until the next call. */
  read(row: number): Uint8Array {
    const { start, length } = this.#file.placeOfList(row);
    if (start < this.#start || start + length > this.#start + this.#window.length) this.#load(start, length);
    return this.#window.subarray(start - this.#start, start - this.#start + length);
  }

  #load(start: number, length: number): void {
    const rest = this.#file.footer.sections.postings.length - start;
    this.#window = this.#file.read('postings', start, Math.max(length, Math.min(WINDOW_BYTES, rest)));
    this.#start = start;
  }
}
