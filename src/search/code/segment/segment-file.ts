import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { decodeText } from '../decode-text.ts';
import {
  FOOTER_BYTES,
  type Footer,
  isDense,
  readFooter,
  SECTIONS,
  type Section,
  SegmentDamaged,
} from './format.ts';
import { decompressFrame } from './frames/frame.ts';
import type { ChunkList } from './kernel/chunk-set.ts';
import type { Piece } from './match/piece.ts';
import { riceParameter } from './rice.ts';
import {
  CHARSET,
  piecePlaces,
  readTables,
  rowsByBegin,
  type Tables,
  THIRD_BITS,
  tablesBytes,
} from './tables.ts';

const VERIFY_BYTES = 4 * 1024 * 1024;
/** Nearly every frame is shorter. */
const MAX_ROOM = 32 * 1024;

/** A segment file that is open: its tables in memory, all else read by position. */
export class SegmentFile {
  readonly #file: number;
  /** For one frame after the other as it is in the file: memory of its own for each would cost as much as reading it. */
  #room = Buffer.alloc(0);
  readonly footer: Footer;
  readonly bytes: number;
  readonly tables: Tables;
  readonly #rowsByBegin: Uint32Array;
  readonly #places: { frames: Float64Array; signatures: Float64Array };

  /** @throws SegmentDamaged */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    try {
      this.bytes = fstatSync(this.#file).size;
      this.footer = readFooter(this.#readFooter(), this.bytes);
      this.tables = this.#readTables();
      this.#places = piecePlaces(this.tables);
      this.#rowsByBegin = rowsByBegin(this.tables);
      this.#requireConsistent();
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** The row of a trigram in the dictionary, or -1. */
  rowOf(code: number): number {
    const { codes } = this.tables;
    const begin = code >>> THIRD_BITS;
    let low = this.#rowsByBegin[begin]!;
    let high = this.#rowsByBegin[begin + 1]! - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = codes[middle]!;
      if (found === code) return middle;
      if (found < code) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** The list of a row of the dictionary, as it is in the file. */
  readList(row: number): Buffer {
    const { start, length } = this.placeOfList(row);
    // Lists are kept one by one: each in memory of its own, or it would keep a whole piece of Node's pool alive.
    return this.readInto(Buffer.allocUnsafeSlow(length), 'postings', start);
  }

  /** How the list of a row is to be read, given its bytes. */
  listOf(row: number, bytes: Uint8Array): ChunkList {
    const count = this.tables.counts[row]!;
    const { chunks } = this.footer;
    return { bytes, count, parameter: isDense(count, chunks) ? null : riceParameter(count, chunks) };
  }

  /** Where the list of a row lies in the postings. */
  placeOfList(row: number): { start: number; length: number } {
    const { listStarts } = this.tables;
    const start = listStarts[row]!;
    return { start, length: (listStarts[row + 1] ?? this.footer.sections.postings.length) - start };
  }

  placeOfSignature(piece: number): { start: number; length: number } {
    const { signatures } = this.#places;
    return { start: signatures[piece]!, length: signatures[piece + 1]! - signatures[piece]! };
  }

  /** The bytes of frames, which begin at `from` and end at `to`, and of signatures of pieces `from` to `to` (without it). */
  rangesOf(from: number, to: number): Record<'frames' | 'signatures', { start: number; length: number }> {
    const { frames, signatures } = this.#places;
    return {
      frames: { start: frames[from]!, length: frames[to]! - frames[from]! },
      signatures: { start: signatures[from]!, length: signatures[to]! - signatures[from]! },
    };
  }

  /** The pieces that share a frame with this one: `first` to `end` (without it). */
  frameOf(piece: number): { first: number; end: number } {
    const { frameLengths } = this.tables;
    let first = piece;
    while (first > 0 && frameLengths[first] === 0) first--;
    let end = piece + 1;
    while (end < frameLengths.length && frameLengths[end] === 0) end++;
    return { first, end };
  }

  /** The text of a frame, by its first piece; see `decompressFrame`. */
  readFrame(first: number, allocate?: (bytes: number) => Buffer): Buffer {
    const length = this.tables.frameLengths[first]!;
    const frame = this.readInto(this.#roomFor(length), 'frames', this.#places.frames[first]!);
    return decompressFrame(frame, this.textBytes(first, this.frameOf(first).end), allocate);
  }

  #roomFor(length: number): Buffer {
    if (length > MAX_ROOM) return Buffer.allocUnsafe(length);
    if (length > this.#room.length) this.#room = Buffer.allocUnsafeSlow(length);
    return this.#room.subarray(0, length);
  }

  /** Bytes of text in pieces `from` to `to` (without it). */
  textBytes(from: number, to: number): number {
    const { textLengths } = this.tables;
    let bytes = 0;
    for (let piece = from; piece < to; piece++) bytes += textLengths[piece]!;
    return bytes;
  }

  /** What stands in the blob, given a way to the text of a frame. */
  originalOf(piece: number, frameText: (first: number) => Buffer): Buffer {
    const { first } = this.frameOf(piece);
    const start = this.textBytes(first, piece);
    return frameText(first).subarray(start, start + this.tables.textLengths[piece]!);
  }

  pieceOf(piece: number, frameText: (first: number) => Buffer): Piece {
    const original = this.originalOf(piece, frameText);
    const charset = this.tables.charsets[piece]!;
    const text = charset === CHARSET.other ? Buffer.from(decodeText(original)) : original;
    return { text, ascii: charset === CHARSET.ascii };
  }

  read(section: Section, start: number, length: number): Buffer {
    return this.readInto(Buffer.allocUnsafe(length), section, start);
  }

  /** Compares all checksums. @throws SegmentDamaged */
  verify(): void {
    for (const name of SECTIONS) {
      const { length, crc } = this.footer.sections[name];
      let actual = 0;
      for (let at = 0; at < length; at += VERIFY_BYTES) {
        actual = crc32(this.read(name, at, Math.min(VERIFY_BYTES, length - at)), actual);
      }
      if (actual !== crc) throw new SegmentDamaged(`${name} are not as they were written`);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Fills `bytes` with what stands at `start` of a section. @throws SegmentDamaged where it is shorter */
  readInto(bytes: Buffer, section: Section, start: number): Buffer {
    const place = this.footer.sections[section];
    if (start + bytes.length > place.length) throw new SegmentDamaged(`nothing at ${start} of ${section}`);
    this.#readAt(bytes, place.start + start);
    return bytes;
  }

  #readFooter(): Buffer {
    const bytes = Buffer.alloc(Math.min(FOOTER_BYTES, this.bytes));
    this.#readAt(bytes, this.bytes - bytes.length);
    return bytes;
  }

  #readTables(): Tables {
    const { start, length, crc } = this.footer.sections.tables;
    if (length !== tablesBytes(this.footer)) throw new SegmentDamaged('tables of another size');
    const memory = new ArrayBuffer(length);
    const bytes = Buffer.from(memory);
    this.#readAt(bytes, start);
    if (crc32(bytes) !== crc) throw new SegmentDamaged('tables are not as they were written');
    return readTables(memory, this.footer);
  }

  #requireConsistent(): void {
    const { sections, pieces } = this.footer;
    const { frames, signatures } = this.#places;
    if (frames[pieces] !== sections.frames.length || signatures[pieces] !== sections.signatures.length) {
      throw new SegmentDamaged('pieces of another size');
    }
  }

  #readAt(bytes: Buffer, position: number): void {
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(this.#file, bytes, at, bytes.length - at, position + at);
      if (count === 0) throw new SegmentDamaged('the file ends early');
      at += count;
    }
  }
}
