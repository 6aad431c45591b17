import type { Section } from './format.ts';
import type { SegmentFile } from './segment-file.ts';

/** What is asked for far from the last piece brings little of what comes next. */
const FIRST_BYTES = 4 * 1024;

/** Reads small pieces that lie one behind the other: one large read in place of thousands of small ones. */
export class WindowReader {
  readonly #file: SegmentFile;
  readonly #section: Section;
  readonly #maxBytes: number;
  #windowBytes = FIRST_BYTES;
  /** Used for one window after the other. */
  #room: Buffer = Buffer.alloc(0);
  #window: Buffer = this.#room;
  #start = 0;

  constructor(file: SegmentFile, section: Section, maxBytes: number) {
    this.#file = file;
    this.#section = section;
    this.#maxBytes = maxBytes;
  }

  /** Good until the next call. */
  read({ start, length }: { start: number; length: number }): Uint8Array {
    if (start < this.#start || start + length > this.#start + this.#window.length) this.#load(start, length);
    return this.#window.subarray(start - this.#start, start - this.#start + length);
  }

  #load(start: number, length: number): void {
    const skipped = start - this.#start - this.#window.length;
    const isNear = start >= this.#start && skipped < this.#windowBytes;
    this.#windowBytes = isNear ? Math.min(this.#windowBytes * 2, this.#maxBytes) : FIRST_BYTES;
    const rest = this.#file.footer.sections[this.#section].length - start;
    const size = Math.max(length, Math.min(this.#windowBytes, rest));
    if (this.#room.length < size) this.#room = Buffer.allocUnsafeSlow(Math.max(size, this.#windowBytes));
    this.#window = this.#file.readInto(this.#room.subarray(0, size), this.#section, start);
    this.#start = start;
  }
}
