import type { SegmentFacts } from '../format.ts';
import { FRAME_BYTES } from '../frames/frame.ts';
import type { Segment } from '../segment.ts';
import type { SegmentFile } from '../segment-file.ts';
import { OID_BYTES, sortByOid, tablePieces } from '../tables.ts';
import { type SegmentWriter, writeSegment } from './file-writer.ts';
import { FramePacker } from './frame-packer.ts';
import { MergedPostings } from './merge-postings.ts';

export interface MergeInput {
  segment: Segment;
  /** Whether this blob goes into the new segment; a blob that several inputs hold must be kept of one only. */
  keep: (blob: number) => boolean;
}

/** Chunks, or pieces, `from` to `to` (without it) of a segment, all of them kept. */
interface Run {
  file: SegmentFile;
  from: number;
  to: number;
}

const COPY_BYTES = 1024 * 1024;

/**
 * Writes one segment with the blobs that are kept, in the order of the inputs, to `path`, which must not exist, and
 * syncs the file. Full frames are copied as they are; only small ones, those with chunks that are not kept, and postings are
 * written anew.
 */
export function mergeSegments(inputs: readonly MergeInput[], path: string): SegmentFacts {
  const kept = inputs.map(({ segment, keep }) => ({ file: segment.file, blobs: keptBlobs(segment, keep) }));
  const runs = kept.flatMap(({ file, blobs }) => runsOf(file, blobs));
  const pieces = runs.map(piecesOf);
  const tables = { ...blobTables(kept), ...chunkTables(runs), ...pieceTables(pieces) };
  return writeSegment(path, (writer) => {
    const frameLengths = copyFrames(pieces, writer);
    copySignatures(pieces, writer);
    const dictionary = new MergedPostings(
      inputs.map(({ segment }) => segment.file),
      runs,
    ).write(writer);
    const sizes = {
      trigrams: dictionary.codes.length,
      blobs: tables.byOid.length,
      chunks: tables.firstPieces.length - 1,
      pieces: tables.textLengths.length,
    };
    for (const piece of tablePieces({ ...dictionary, ...tables, frameLengths }, sizes)) writer.write(piece);
    writer.endSection('tables');
    return writer.finish({ ...sizes, rawBytes: tables.textLengths.reduce((sum, length) => sum + length, 0) });
  });
}

function keptBlobs(segment: Segment, keep: (blob: number) => boolean): Uint32Array {
  return Uint32Array.from({ length: segment.blobs }, (_, blob) => blob).filter(keep);
}

function runsOf(file: SegmentFile, blobs: Uint32Array): Run[] {
  const { firstChunks } = file.tables;
  const runs: Run[] = [];
  for (const blob of blobs) {
    const [from, to] = [firstChunks[blob]!, firstChunks[blob + 1]!];
    const last = runs.at(-1);
    if (last?.to === from) last.to = to;
    else if (to > from) runs.push({ file, from, to });
  }
  return runs;
}

function piecesOf({ file, from, to }: Run): Run {
  const { firstPieces } = file.tables;
  return { file, from: firstPieces[from]!, to: firstPieces[to]! };
}

/** Answers `frameLengths` of the tables. */
function copyFrames(runs: readonly Run[], writer: SegmentWriter): Uint32Array {
  const packer = new FramePacker((frame) => writer.write(frame));
  for (const { file, from, to } of runs) {
    for (let piece = from; piece < to; ) {
      const { first, end } = file.frameOf(piece);
      const last = Math.min(end, to);
      copyFrame(file, { first, end, from: piece, to: last }, packer);
      piece = last;
    }
  }
  const lengths = packer.finish();
  writer.endSection('frames');
  return lengths;
}

/** Of the frame of pieces `first` to `end` those from `from` to `to`. */
function copyFrame(
  file: SegmentFile,
  { first, end, from, to }: { first: number; end: number; from: number; to: number },
  packer: FramePacker,
): void {
  const isWhole = first === from && end === to;
  if (isWhole && file.textBytes(from, to) * 2 > FRAME_BYTES) {
    const { start, length } = file.rangesOf(from, to).frames;
    packer.addFrame(file.read('frames', start, length), to - from);
    return;
  }
  const text = file.readFrame(first);
  let at = file.textBytes(first, from);
  for (let piece = from; piece < to; piece++) {
    const length = file.tables.textLengths[piece]!;
    packer.add(text.subarray(at, at + length), 'thorough');
    at += length;
  }
}

function copySignatures(runs: readonly Run[], writer: SegmentWriter): void {
  for (const { file, from, to } of runs) {
    const { start, length } = file.rangesOf(from, to).signatures;
    for (let at = 0; at < length; at += COPY_BYTES) {
      writer.write(file.read('signatures', start + at, Math.min(COPY_BYTES, length - at)));
    }
  }
  writer.endSection('signatures');
}

function blobTables(kept: readonly { file: SegmentFile; blobs: Uint32Array }[]) {
  const count = kept.reduce((sum, { blobs }) => sum + blobs.length, 0);
  const firstChunks = new Uint32Array(count + 1);
  const oids = new Uint8Array(count * OID_BYTES);
  let blob = 0;
  for (const { file, blobs } of kept) {
    const { firstChunks: old, oids: oldOids } = file.tables;
    for (const from of blobs) {
      oids.set(oldOids.subarray(from * OID_BYTES, (from + 1) * OID_BYTES), blob * OID_BYTES);
      firstChunks[blob + 1] = firstChunks[blob]! + old[from + 1]! - old[from]!;
      blob++;
    }
  }
  return { firstChunks, oids, byOid: sortByOid(oids) };
}

function chunkTables(runs: readonly Run[]) {
  const firstPieces = new Uint32Array(countOf(runs) + 1);
  let chunk = 0;
  for (const { file, from, to } of runs) {
    const { firstPieces: old } = file.tables;
    for (let at = from; at < to; at++, chunk++)
      firstPieces[chunk + 1] = firstPieces[chunk]! + old[at + 1]! - old[at]!;
  }
  return { firstPieces };
}

function pieceTables(runs: readonly Run[]) {
  const pieces = countOf(runs);
  const tables = {
    textLengths: new Uint32Array(pieces),
    firstLines: new Uint32Array(pieces),
    charsets: new Uint8Array(pieces),
    foldings: new Uint8Array(pieces),
  };
  let at = 0;
  for (const { file, from, to } of runs) {
    tables.textLengths.set(file.tables.textLengths.subarray(from, to), at);
    tables.firstLines.set(file.tables.firstLines.subarray(from, to), at);
    tables.charsets.set(file.tables.charsets.subarray(from, to), at);
    tables.foldings.set(file.tables.foldings.subarray(from, to), at);
    at += to - from;
  }
  return tables;
}

const countOf = (runs: readonly Run[]): number => runs.reduce((sum, { from, to }) => sum + to - from, 0);
