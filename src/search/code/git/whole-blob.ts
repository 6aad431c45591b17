import { isAscii, isUtf8 } from 'node:buffer';
import { decodeText } from '../decode-text.ts';
import { chunkEnd, countNewlines } from '../segment/chunks.ts';
import type { Chunk } from '../segment/match/chunk.ts';
import type { BlobChunks } from '../segment/match/stretches.ts';

/** A file as git has it, cut into the chunks that the index cuts it into. */
export class WholeBlob implements BlobChunks {
  readonly first = 0;
  readonly #bytes: Buffer;
  /** Where each chunk begins, and the end of the last. */
  readonly #starts: number[] = [0];
  readonly #firstLines: number[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    let line = 1;
    for (let start = 0; start < bytes.length; ) {
      const end = chunkEnd(bytes, start);
      this.#firstLines.push(line);
      this.#starts.push(end);
      line += countNewlines(bytes.subarray(start, end));
      start = end;
    }
  }

  get end(): number {
    return this.#firstLines.length;
  }

  firstLine(chunk: number): number {
    return this.#firstLines[chunk]!;
  }

  chunk(chunk: number): Chunk {
    const bytes = this.#bytes.subarray(this.#starts[chunk], this.#starts[chunk + 1]);
    const ascii = isAscii(bytes);
    return { text: ascii || isUtf8(bytes) ? bytes : Buffer.from(decodeText(bytes)), ascii };
  }
}
