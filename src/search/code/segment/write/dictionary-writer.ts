import { bitmapOfVarints, bytesOf } from '../bitmap.ts';
import { isDense } from '../format.ts';
import { riceParameter, riceRoom, writeRice } from '../rice.ts';
import type { Tables } from '../tables.ts';
import type { SegmentWriter } from './file-writer.ts';
import { NumberList } from './growing.ts';

const MAX_POSTINGS = 2 ** 32 - 1;

/** Writes the lists of trigrams, ascending, and keeps where each of them begins. */
export class DictionaryWriter {
  readonly #writer: SegmentWriter;
  readonly #chunks: number;
  readonly #codes = new NumberList();
  readonly #counts = new NumberList();
  readonly #starts = new NumberList();
  #rice = new Uint8Array(0);
  #written = 0;

  constructor(writer: SegmentWriter, chunks: number) {
    this.#writer = writer;
    this.#chunks = chunks;
  }

  /** @param varints the gaps between the `count` chunks that hold the trigram */
  add(code: number, count: number, varints: Uint8Array): void {
    const list = isDense(count, this.#chunks)
      ? bytesOf(bitmapOfVarints(varints, this.#chunks))
      : this.#riceOf(varints, count);
    if (this.#written > MAX_POSTINGS) throw new RangeError('a segment holds 4 GB of postings at most');
    this.#codes.push(code);
    this.#counts.push(count);
    this.#starts.push(this.#written);
    this.#writer.write(list);
    this.#written += list.length;
  }

  finish(): Pick<Tables, 'codes' | 'counts' | 'listStarts'> {
    this.#writer.endSection('postings');
    return { codes: this.#codes.view(), counts: this.#counts.view(), listStarts: this.#starts.view() };
  }

  /** Good until the next call. */
  #riceOf(varints: Uint8Array, count: number): Uint8Array {
    if (this.#rice.length === 0) this.#rice = new Uint8Array(riceRoom(this.#chunks));
    const length = writeRice(varints, riceParameter(count, this.#chunks), this.#rice);
    return this.#rice.subarray(0, length);
  }
}
