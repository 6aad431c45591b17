import { isAscii, isUtf8 } from 'node:buffer';
import { decodeText } from '../decode-text.ts';
import { countNewlines, pieceEnd } from '../segment/chunks.ts';
import type { Piece } from '../segment/match/piece.ts';
import type { BlobPieces } from '../segment/match/stretches.ts';

/** A file as git has it, in pieces as the index has them. */
export class WholeBlob implements BlobPieces {
  readonly first = 0;
  readonly #bytes: Buffer;
  /** Where each piece begins, and the end of the last. */
  readonly #starts: number[] = [0];
  readonly #firstLines: number[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    let line = 1;
    for (let start = 0; start < bytes.length; ) {
      const end = pieceEnd(bytes, start);
      this.#firstLines.push(line);
      this.#starts.push(end);
      line += countNewlines(bytes.subarray(start, end));
      start = end;
    }
  }

  get end(): number {
    return this.#firstLines.length;
  }

  firstLine(piece: number): number {
    return this.#firstLines[piece]!;
  }

  piece(piece: number): Piece {
    const bytes = this.#bytes.subarray(this.#starts[piece], this.#starts[piece + 1]);
    const ascii = isAscii(bytes);
    return { text: ascii || isUtf8(bytes) ? bytes : Buffer.from(decodeText(bytes)), ascii };
  }
}
