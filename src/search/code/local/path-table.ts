import type { Bitmap } from '../segment/bitmap.ts';
import { BlobPaths } from './blob-paths.ts';
import { PathGrams } from './path-grams.ts';

/** Where the lines of a blob are; `segment` is NOWHERE for what has none, IN_GIT for what only the repository holds. */
export interface BlobPlace {
  segment: number;
  number: number;
}

export const NOWHERE = -1;
export const IN_GIT = -2;

/** A path of a corpus: one character for each byte, so that comparing such strings is comparing bytes. */
export interface PathEntry extends BlobPlace {
  path: string;
  blob: number;
}

const SEPARATOR = '\0'; // the one byte that is in no path

/** The paths of one corpus in byte order, as arrays and one long string: 24 bytes a path beside its letters. */
export class PathTable {
  readonly length: number;
  /** Every path, each behind a NUL. */
  readonly text: string;
  /** Where each path begins in `text`, and after the last, where the next would. */
  readonly #starts: Uint32Array;
  readonly #blobs: Uint32Array;
  readonly #segments: Int32Array;
  readonly #numbers: Uint32Array;
  /** Made when it is first asked for: 10 ms for 80,000 paths. */
  #grams: PathGrams | null = null;
  /** Likewise; 1 to 2 ms. */
  #ofBlobs: BlobPaths | null = null;

  constructor(builder: PathTableBuilder) {
    this.length = builder.length;
    this.text = builder.parts.join('');
    this.#starts = builder.starts.slice(0, this.length + 1);
    this.#blobs = builder.blobs.slice(0, this.length);
    this.#segments = builder.segments.slice(0, this.length);
    this.#numbers = builder.numbers.slice(0, this.length);
  }

  /** With what is made later. */
  get bytes(): number {
    return Math.ceil(this.text.length * 2.2) + this.length * 24;
  }

  /**
   * Where these small letters begin in `text`, in any case, at `from` or later. Positions in the folded text are the same: no
   * letter of one byte changes its length.
   */
  position(needle: string, from: number): number {
    this.#grams ??= new PathGrams(this.text.toLowerCase());
    return this.#grams.indexOf(needle, from);
  }

  path(index: number): string {
    return this.text.slice(this.#starts[index]!, this.#starts[index + 1]! - 1);
  }

  blob(index: number): number {
    return this.#blobs[index]!;
  }

  segment(index: number): number {
    return this.#segments[index]!;
  }

  number(index: number): number {
    return this.#numbers[index]!;
  }

  start(index: number): number {
    return this.#starts[index]!;
  }

  /** Sets the bits of all paths that have this blob. */
  mark(segment: number, number: number, paths: Bitmap): void {
    this.#ofBlobs ??= new BlobPaths({ segments: this.#segments, numbers: this.#numbers });
    this.#ofBlobs.mark(segment, number, paths);
  }

  /** The path that holds the character at `position` of `text`. */
  indexAt(position: number): number {
    return upperBound(this.length, (index) => this.#starts[index]! <= position) - 1;
  }

  /** The first path that is not before this one. */
  indexOf(path: string): number {
    return upperBound(this.length, (index) => this.path(index) < path);
  }

  /** The table after some paths changed (`null`: gone), in byte order. */
  with(changes: readonly { path: string; entry: Omit<PathEntry, 'path'> | null }[]): PathTable {
    const builder = new PathTableBuilder(this.length + changes.length);
    let from = 0;
    for (const { path, entry } of changes) {
      const to = this.indexOf(path);
      builder.copy(this, from, to);
      from = to < this.length && this.path(to) === path ? to + 1 : to;
      if (entry) builder.add({ path, ...entry });
    }
    builder.copy(this, from, this.length);
    return new PathTable(builder);
  }

  /** Asks anew for the place of each blob in these segments, whose files are gone. */
  move(segments: ReadonlySet<number>, placeOf: (blob: number) => BlobPlace): void {
    this.#ofBlobs = null;
    for (let index = 0; index < this.length; index++) {
      if (!segments.has(this.#segments[index]!)) continue;
      const { segment, number } = placeOf(this.#blobs[index]!);
      this.#segments[index] = segment;
      this.#numbers[index] = number;
    }
  }

  /** Rows `from` to `to` into the arrays of a builder. */
  copyTo(builder: PathTableBuilder, from: number, to: number): void {
    builder.blobs.set(this.#blobs.subarray(from, to), builder.length);
    builder.segments.set(this.#segments.subarray(from, to), builder.length);
    builder.numbers.set(this.#numbers.subarray(from, to), builder.length);
  }
}

/** Fills a table in byte order. */
export class PathTableBuilder {
  length = 0;
  readonly parts: string[] = [SEPARATOR];
  readonly starts: Uint32Array;
  readonly blobs: Uint32Array;
  readonly segments: Int32Array;
  readonly numbers: Uint32Array;

  constructor(capacity: number) {
    this.starts = new Uint32Array(capacity + 1);
    this.starts[0] = 1;
    this.blobs = new Uint32Array(capacity);
    this.segments = new Int32Array(capacity);
    this.numbers = new Uint32Array(capacity);
  }

  add({ path, blob, segment, number }: PathEntry): void {
    const index = this.length++;
    this.parts.push(path, SEPARATOR);
    this.starts[index + 1] = this.starts[index]! + path.length + 1;
    this.blobs[index] = blob;
    this.segments[index] = segment;
    this.numbers[index] = number;
  }

  /** Paths in byte order, with a NUL between them. */
  addAll(paths: string, blobs: readonly number[], placeOf: (index: number) => BlobPlace): void {
    const base = this.starts[this.length]!;
    if (blobs.length > 0) this.parts.push(paths, SEPARATOR);
    for (let index = 0, end = -1; index < blobs.length; index++) {
      end = paths.indexOf(SEPARATOR, end + 1);
      if (end < 0) end = paths.length;
      const { segment, number } = placeOf(index);
      this.blobs[this.length] = blobs[index]!;
      this.segments[this.length] = segment;
      this.numbers[this.length] = number;
      this.starts[++this.length] = base + end + 1;
    }
  }

  copy(table: PathTable, from: number, to: number): void {
    if (from === to) return;
    const shift = this.starts[this.length]! - table.start(from);
    this.parts.push(table.text.slice(table.start(from), table.start(to)));
    table.copyTo(this, from, to);
    for (let index = from; index < to; index++)
      this.starts[this.length + 1 + index - from] = table.start(index + 1) + shift;
    this.length += to - from;
  }
}

/** How many of the first numbers below `length` hold `isBefore`, which is true up to some number and false from there. */
function upperBound(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
