import { bitmapOfVarints, bytesOf } from '../bitmap.ts';
import { isDense } from '../format.ts';
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
  #written = 0;

  constructor(writer: SegmentWriter, chunks: number) {
    this.#writer = writer;
    this.#chunks = chunks;
  }

  /** @param varints the gaps between the `count` chunks that hold the trigram */
  add(code: number, count: number, varints: Uint8Array): void {
    const list = isDense(count, this.#chunks) ? bytesOf(bitmapOfVarints(varints, this.#chunks)) : varints;
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
}
