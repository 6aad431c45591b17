import type { Section } from './format.ts';
import type { SegmentFile } from './segment-file.ts';

/** Reads small pieces that lie one behind the other: one large read in place of thousands of small ones. */
export class WindowReader {
  readonly #file: SegmentFile;
  readonly #section: Section;
  readonly #windowBytes: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: SegmentFile, section: Section, windowBytes: number) {
    this.#file = file;
    this.#section = section;
    this.#windowBytes = windowBytes;
  }

  /** Good until the next call. */
  read({ start, length }: { start: number; length: number }): Uint8Array {
    if (start < this.#start || start + length > this.#start + this.#window.length) this.#load(start, length);
    return this.#window.subarray(start - this.#start, start - this.#start + length);
  }

  #load(start: number, length: number): void {
    const rest = this.#file.footer.sections[this.#section].length - start;
    const size = Math.max(length, Math.min(this.#windowBytes, rest));
    this.#window = this.#file.read(this.#section, start, size);
    this.#start = start;
  }
}
