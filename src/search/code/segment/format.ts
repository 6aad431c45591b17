import { crc32 } from 'node:zlib';

/**
 * A segment file, little-endian. A blob is cut into chunks, which the lists name, and these into pieces, which are decoded
 * and looked through (`chunks.ts`):
 *
 *   frames      zstd frames of one piece or several that follow each other, each with zstd's own checksum
 *   signatures  one for each piece, `signatureSize` of its length and folding
 *   postings    one list for each trigram, in the order of the dictionary
 *   tables      what is kept in memory while the segment is open (`tables.ts`)
 *   footer      120 bytes: what is where, and the checksums of the rest
 *
 * A list that names more than one chunk in eight is a bitmap of all chunks, any other the gaps between chunk numbers, Rice coded
 * (`rice.ts`). Only from one in three on is a bitmap the shorter one, but it is quicker to read.
 */
export const FORMAT_VERSION = 4;

/** The version is in the name, so that files of two formats can lie side by side during an upgrade. */
export const SEGMENT_SUFFIX = `.v${FORMAT_VERSION}.segment`;

/** What a segment holds. `bytes` is the size of its file, `rawBytes` that of the blobs. */
export interface SegmentFacts {
  blobs: number;
  chunks: number;
  rawBytes: number;
  bytes: number;
}

/** The file is not a segment of this version, or not as it was written. */
export class SegmentDamaged extends Error {
  override name = 'SegmentDamaged';
}

export const SECTIONS = ['frames', 'signatures', 'postings', 'tables'] as const;
export type Section = (typeof SECTIONS)[number];

export interface Footer {
  blobs: number;
  chunks: number;
  trigrams: number;
  pieces: number;
  rawBytes: number;
  sections: Record<Section, { start: number; length: number; crc: number }>;
}

export const FOOTER_BYTES = 120;
const MAGIC = Buffer.from('ingotseg');
const COUNTS_AT = 16;
const SECTIONS_AT = 48;
const SECTION_BYTES = 16;
const CRC_AT = FOOTER_BYTES - 4;

export function writeFooter(footer: Footer): Buffer {
  const bytes = Buffer.alloc(FOOTER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(FORMAT_VERSION, MAGIC.length);
  [footer.blobs, footer.chunks, footer.trigrams, footer.pieces].forEach((count, i) => {
    bytes.writeUInt32LE(count, COUNTS_AT + i * 4);
  });
  bytes.writeDoubleLE(footer.rawBytes, COUNTS_AT + 16);
  SECTIONS.forEach((name, i) => {
    const at = SECTIONS_AT + i * SECTION_BYTES;
    bytes.writeDoubleLE(footer.sections[name].length, at);
    bytes.writeUInt32LE(footer.sections[name].crc, at + 8);
  });
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_AT)), CRC_AT);
  return bytes;
}

/** @throws SegmentDamaged unless these are the last bytes of a whole segment file of `fileBytes` */
export function readFooter(bytes: Buffer, fileBytes: number): Footer {
  if (bytes.length !== FOOTER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new SegmentDamaged('no segment, or cut short');
  }
  if (crc32(bytes.subarray(0, CRC_AT)) !== bytes.readUInt32LE(CRC_AT)) {
    throw new SegmentDamaged('the footer is damaged');
  }
  const version = bytes.readUInt32LE(MAGIC.length);
  if (version !== FORMAT_VERSION) throw new SegmentDamaged(`a segment of format ${version}`);
  const [sections, end] = readSections(bytes);
  if (end + FOOTER_BYTES !== fileBytes) throw new SegmentDamaged('not as long as it was written');
  return {
    blobs: bytes.readUInt32LE(COUNTS_AT),
    chunks: bytes.readUInt32LE(COUNTS_AT + 4),
    trigrams: bytes.readUInt32LE(COUNTS_AT + 8),
    pieces: bytes.readUInt32LE(COUNTS_AT + 12),
    rawBytes: bytes.readDoubleLE(COUNTS_AT + 16),
    sections,
  };
}

function readSections(bytes: Buffer): [Footer['sections'], number] {
  let start = 0;
  const rows = SECTIONS.map((name, i) => {
    const at = SECTIONS_AT + i * SECTION_BYTES;
    const length = bytes.readDoubleLE(at);
    const row = [name, { start, length, crc: bytes.readUInt32LE(at + 8) }] as const;
    start += length;
    return row;
  });
  return [Object.fromEntries(rows) as Footer['sections'], start];
}

/** Whether the list of a trigram in that many of the chunks is a bitmap. */
export function isDense(count: number, chunks: number): boolean {
  return count * 8 > chunks;
}

/** Words of 32 bits. */
export function bitmapWords(chunks: number): number {
  return Math.ceil(chunks / 32);
}

/** The most bytes that a gap takes as a varint. */
export const MAX_VARINT_BYTES = 5;
