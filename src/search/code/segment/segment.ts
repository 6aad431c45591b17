import type { Bitmap } from './bitmap.ts';
import { BlobCandidates, type Candidates } from './candidates.ts';
import type { SegmentFacts } from './format.ts';
import type { FrameCache } from './frames/frame-cache.ts';
import { type Lists, lookUp } from './lookup.ts';
import { NO_LINES } from './match/matching-lines.ts';
import type { Piece } from './match/piece.ts';
import type { SearchPlan } from './match/plan.ts';
import { signatureAllows } from './match/requirement.ts';
import { type Stretches, stretchesOf } from './match/stretches.ts';
import { SegmentFile } from './segment-file.ts';
import { compareOids, OID_BYTES } from './tables.ts';
import { WindowReader } from './window-reader.ts';

/** Candidates are walked in the order in which they lie, so one read brings the signatures of those to come. */
const SIGNATURE_WINDOW = 32 * 1024;

/** An immutable file of blobs and their index, open for reading. All calls are synchronous. */
export class Segment {
  readonly file: SegmentFile;
  readonly facts: SegmentFacts;
  readonly #cache: FrameCache;
  readonly #owner: number;
  readonly #lists: Lists;
  readonly #oids: Buffer;
  #signatures: Pick<WindowReader, 'read'>;

  /** @throws SegmentDamaged; errors of the file system as they are (`ENOENT`) */
  static open(path: string, cache: FrameCache): Segment {
    return new Segment(new SegmentFile(path), cache);
  }

  private constructor(file: SegmentFile, cache: FrameCache) {
    const { blobs, chunks, rawBytes } = file.footer;
    const { oids } = file.tables;
    this.file = file;
    this.facts = { blobs, chunks, rawBytes, bytes: file.bytes };
    this.#signatures = new WindowReader(file, 'signatures', SIGNATURE_WINDOW);
    this.#cache = cache;
    this.#owner = cache.newOwner();
    const listOwner = cache.newOwner();
    this.#lists = {
      file,
      read: (row) => cache.get(listOwner, row, () => file.readList(row)),
    };
    this.#oids = Buffer.from(oids.buffer, oids.byteOffset, oids.byteLength);
  }

  get blobs(): number {
    return this.facts.blobs;
  }

  /** All its signatures are here: from now on they are not read from the file. */
  useSignatures(memory: SharedArrayBuffer): void {
    if (memory.byteLength !== this.file.footer.sections.signatures.length) return;
    const all = new Uint8Array(memory);
    this.#signatures = { read: ({ start, length }) => all.subarray(start, start + length) };
  }

  /** Reads the whole file and compares its checksums: about a second for a GB. @throws SegmentDamaged */
  verify(): void {
    this.file.verify();
  }

  oidOf(blob: number): string {
    return this.#oids.toString('hex', blob * OID_BYTES, (blob + 1) * OID_BYTES);
  }

  /** The number of a blob, found by binary search. */
  find(oid: string): number | undefined {
    const wanted = Buffer.from(oid, 'hex');
    if (wanted.length !== OID_BYTES) return undefined;
    const { byOid } = this.file.tables;
    let low = 0;
    let high = byOid.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareOids(this.#oids, byOid[middle]!, wanted, 0) < 0) low = middle + 1;
      else high = middle;
    }
    const blob = byOid[low];
    return blob !== undefined && compareOids(this.#oids, blob, wanted, 0) === 0 ? blob : undefined;
  }

  candidates(plan: SearchPlan): Candidates {
    return this.candidatesOf(lookUp(plan.requirement, this.#lists) ?? null);
  }

  /** The same from chunks that are known. */
  candidatesOf(bitmap: Bitmap | null): Candidates {
    return new BlobCandidates(bitmap, this.file.tables.firstChunks);
  }

  /** Whether a candidate's signatures allow a match as well: nothing is decoded. @throws SegmentDamaged */
  mayMatch(blob: number, plan: SearchPlan, candidates: Candidates): boolean {
    const { firstChunks, firstPieces } = this.file.tables;
    for (let chunk = firstChunks[blob]!; chunk < firstChunks[blob + 1]!; chunk++) {
      if (!candidates.hasChunk(chunk)) continue;
      for (let piece = firstPieces[chunk]!; piece < firstPieces[chunk + 1]!; piece++)
        if (this.#signatureAllows(piece, plan)) return true;
    }
    return false;
  }

  /** The first `shown` stretches of a blob, and how many there are up to `limit`. @throws SegmentDamaged */
  stretches(
    blob: number,
    plan: SearchPlan,
    candidates: Candidates,
    wanted: { limit: number; shown?: number },
  ): Stretches {
    const { firstChunks, firstPieces, firstLines } = this.file.tables;
    let chunk = firstChunks[blob]!;
    const source = {
      ...this.#piecesOf(blob),
      firstLine: (piece: number) => firstLines[piece]!,
      piece: (piece: number) => this.#piece(piece),
    };
    const matchingLines = (piece: number) => {
      while (firstPieces[chunk + 1]! <= piece) chunk++; // pieces are asked about in order
      return candidates.hasChunk(chunk) && this.#signatureAllows(piece, plan)
        ? plan.matchingLines(this.#piece(piece))
        : NO_LINES;
    };
    return stretchesOf(source, matchingLines, wanted);
  }

  /** The first bytes of a blob, as they are in git. */
  head(blob: number, bytes: number): Buffer {
    const { first, end } = this.#piecesOf(blob);
    const texts: Buffer[] = [];
    let length = 0;
    for (let piece = first; piece < end && length < bytes; piece++) {
      const text = this.file.originalOf(piece, this.#frameText);
      texts.push(text);
      length += text.length;
    }
    return Buffer.concat(texts).subarray(0, bytes);
  }

  close(): void {
    this.file.close();
  }

  /** Numbers from `first` to `end` (without it). */
  #piecesOf(blob: number): { first: number; end: number } {
    const { firstChunks, firstPieces } = this.file.tables;
    return { first: firstPieces[firstChunks[blob]!]!, end: firstPieces[firstChunks[blob + 1]!]! };
  }

  #signatureAllows(piece: number, plan: SearchPlan): boolean {
    return (
      plan.requirement.kind === 'any' ||
      signatureAllows(plan.requirement, this.#signatures.read(this.file.placeOfSignature(piece)))
    );
  }

  #piece(piece: number): Piece {
    return this.file.pieceOf(piece, this.#frameText);
  }

  readonly #frameText = (first: number): Buffer =>
    this.#cache.get(this.#owner, first, () => this.file.readFrame(first, this.#cache.allocate));
}
