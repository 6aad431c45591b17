import { isAscii, isUtf8 } from 'node:buffer';
import { decodeText } from '../../decode-text.ts';
import { chunkEnd, countNewlines, pieceEnd } from '../chunks.ts';
import { MAX_VARINT_BYTES, type SegmentFacts } from '../format.ts';
import type { Effort } from '../frames/encoder.ts';
import { foldedSize, foldInto } from '../grams/fold.ts';
import { fitted, signatureSize } from '../grams/signature.ts';
import { CHARSET, OID_BYTES, sortByOid, tablePieces } from '../tables.ts';
import { ChunkScanner } from './chunk-scanner.ts';
import { DictionaryWriter } from './dictionary-writer.ts';
import { SegmentWriter } from './file-writer.ts';
import { FramePacker } from './frame-packer.ts';
import { ByteList, NumberList } from './growing.ts';
import { PostingArena } from './posting-arena.ts';

/**
 * Larger blobs, a third of the Linux source, are tables and generated code: they take a sixth of the room, so that what is saved by
 * more effort is hardly worth its time.
 */
const MANY_BYTES = 64 * 1024;

/** Writes blobs into one new segment. Their text goes to the file at once, what is found in it when all are there. */
export class SegmentBuilder {
  readonly #writer: SegmentWriter;
  readonly #packer: FramePacker;
  readonly #signatures = new ByteList();
  readonly #foldings = new NumberList();
  readonly #oids = new ByteList();
  readonly #postings = new PostingArena();
  readonly #scanner = new ChunkScanner();
  readonly #firstChunks = new NumberList();
  readonly #firstPieces = new NumberList();
  readonly #textLengths = new NumberList();
  readonly #firstLines = new NumberList();
  readonly #charsets = new NumberList();
  readonly #signature = new Uint8Array(signatureSize(Number.MAX_SAFE_INTEGER));
  #classes = new Uint8Array(64 * 1024);
  #rawBytes = 0;

  /** @throws EEXIST when there is a file already */
  constructor(path: string) {
    this.#writer = new SegmentWriter(path);
    this.#packer = new FramePacker((frame) => this.#writer.write(frame));
  }

  get blobs(): number {
    return this.#firstChunks.length;
  }

  /** Pieces of at most 64 kB, overlong lines aside. */
  get chunks(): number {
    return this.#firstPieces.length;
  }

  get rawBytes(): number {
    return this.#rawBytes;
  }

  /** Takes a blob and answers its number in the segment: 0, 1, 2 ... The bytes may be reused afterwards. */
  add(blob: { oid: string; bytes: Buffer }): number {
    const oid = Buffer.from(blob.oid, 'hex');
    if (oid.length !== OID_BYTES || blob.oid.length !== OID_BYTES * 2) {
      throw new RangeError(`not an object id: ${blob.oid}`);
    }
    this.#oids.push(oid);
    this.#firstChunks.push(this.chunks);
    const effort = blob.bytes.length > MANY_BYTES ? 'quick' : 'thorough';
    let line = 1;
    for (let start = 0; start < blob.bytes.length; ) {
      const end = chunkEnd(blob.bytes, start);
      line += this.#addChunk(blob.bytes.subarray(start, end), line, effort);
      start = end;
    }
    this.#rawBytes += blob.bytes.length;
    return this.blobs - 1;
  }

  /** Writes the rest and syncs the file; its folder is the caller's to sync. When it fails, no file is left. */
  finish(): SegmentFacts {
    try {
      return this.#writeRest();
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** Removes what was written. */
  abandon(): void {
    this.#writer.abandon();
  }

  #writeRest(): SegmentFacts {
    const frameLengths = this.#packer.finish();
    this.#writer.endSection('frames');
    for (const piece of this.#signatures.pieces()) this.#writer.write(piece);
    this.#writer.endSection('signatures');
    const dictionary = this.#writePostings();
    const sizes = {
      trigrams: dictionary.codes.length,
      blobs: this.blobs,
      chunks: this.chunks,
      pieces: frameLengths.length,
    };
    const tables = { ...dictionary, ...this.#blobTables(), ...this.#pieceTables(), frameLengths };
    for (const piece of tablePieces(tables, sizes)) this.#writer.write(piece);
    this.#writer.endSection('tables');
    return this.#writer.finish({ ...sizes, rawBytes: this.#rawBytes });
  }

  /** Answers how many lines it has. */
  #addChunk(bytes: Buffer, firstLine: number, effort: Effort): number {
    const chunk = this.chunks;
    this.#firstPieces.push(this.#textLengths.length);
    let line = firstLine;
    for (let start = 0; start < bytes.length; ) {
      const end = pieceEnd(bytes, start);
      line += this.#addPiece(bytes.subarray(start, end), line, effort);
      start = end;
    }
    this.#postings.add(this.#scanner.endChunk(), chunk);
    return line - firstLine;
  }

  #addPiece(bytes: Buffer, firstLine: number, effort: Effort): number {
    const charset = isAscii(bytes) ? CHARSET.ascii : isUtf8(bytes) ? CHARSET.utf8 : CHARSET.other;
    this.#index(charset === CHARSET.other ? Buffer.from(decodeText(bytes)) : bytes, bytes.length, charset);
    this.#packer.add(bytes, effort);
    this.#textLengths.push(bytes.length);
    this.#firstLines.push(firstLine);
    this.#charsets.push(charset);
    return countNewlines(bytes);
  }

  #index(text: Buffer, pieceBytes: number, charset: number): void {
    const size = foldedSize(text.length);
    if (this.#classes.length < size) this.#classes = new Uint8Array(size);
    const length = foldInto(text, charset === CHARSET.ascii, this.#classes);
    const full = this.#signature.subarray(0, signatureSize(pieceBytes)).fill(0);
    this.#scanner.scan(this.#classes, length, full);
    const { signature, folding } = fitted(full);
    this.#signatures.push(signature);
    this.#foldings.push(folding);
  }

  #writePostings() {
    const dictionary = new DictionaryWriter(this.#writer, this.chunks);
    const list = new Uint8Array(this.chunks * MAX_VARINT_BYTES);
    for (const code of this.#postings.codes()) {
      dictionary.add(code, this.#postings.count(code), list.subarray(0, this.#postings.copy(code, list)));
    }
    return dictionary.finish();
  }

  #blobTables() {
    const firstChunks = Uint32Array.from([...this.#firstChunks.view(), this.chunks]);
    const firstPieces = Uint32Array.from([...this.#firstPieces.view(), this.#textLengths.length]);
    const oids = Buffer.concat([...this.#oids.pieces()]);
    return { firstChunks, firstPieces, oids, byOid: sortByOid(oids) };
  }

  #pieceTables() {
    return {
      textLengths: this.#textLengths.view(),
      firstLines: this.#firstLines.view(),
      charsets: Uint8Array.from(this.#charsets.view()),
      foldings: Uint8Array.from(this.#foldings.view()),
    };
  }
}
