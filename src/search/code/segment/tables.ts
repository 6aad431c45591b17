import { endianness } from 'node:os';
import { signatureSize } from './grams/signature.ts';
import { TRIGRAM_CODES } from './grams/trigrams.ts';

export const OID_BYTES = 20;

/** Contents of a piece: only ASCII; UTF-8; or something else, which `decodeText` makes text of. */
export const CHARSET = { ascii: 0, utf8: 1, other: 2 } as const;

/** The part of a segment that is in memory: about 11 MB for a GB of text. Rows are numbers, never objects. */
export interface Tables {
  /** Dictionary: trigrams ascending, how many chunks hold each, where its list begins. */
  codes: Uint32Array;
  counts: Uint32Array;
  listStarts: Uint32Array;
  /** First chunk of each blob, and the number of chunks at the end; first piece of each chunk, and the number of pieces. */
  firstChunks: Uint32Array;
  firstPieces: Uint32Array;
  /** Blobs in the order of their object ids. */
  byOid: Uint32Array;
  /** Of each piece: bytes of the frame that begins with it, or 0 when it lies in that of the piece before. */
  frameLengths: Uint32Array;
  /** Bytes of its text, number of its first line (from 1), by how much its signature was folded. */
  textLengths: Uint32Array;
  firstLines: Uint32Array;
  charsets: Uint8Array;
  foldings: Uint8Array;
  /** Object ids, 20 bytes each. */
  oids: Uint8Array;
}

export interface TableSizes {
  trigrams: number;
  blobs: number;
  chunks: number;
  pieces: number;
}

type Layout = readonly (readonly [name: keyof Tables, length: number, bytes: 4 | 1])[];

function layout({ trigrams, blobs, chunks, pieces }: TableSizes): Layout {
  return [
    ['codes', trigrams, 4],
    ['counts', trigrams, 4],
    ['listStarts', trigrams, 4],
    ['firstChunks', blobs + 1, 4],
    ['firstPieces', chunks + 1, 4],
    ['byOid', blobs, 4],
    ['frameLengths', pieces, 4],
    ['textLengths', pieces, 4],
    ['firstLines', pieces, 4],
    ['charsets', pieces, 1],
    ['foldings', pieces, 1],
    ['oids', blobs * OID_BYTES, 1],
  ];
}

export function tablesBytes(sizes: TableSizes): number {
  return layout(sizes).reduce((sum, [, length, bytes]) => sum + length * bytes, 0);
}

/** In the order in which they stand in the file. */
export function tablePieces(tables: Tables, sizes: TableSizes): Buffer[] {
  requireLittleEndian();
  return layout(sizes).map(([name]) => {
    const { buffer, byteOffset, byteLength } = tables[name];
    return Buffer.from(buffer, byteOffset, byteLength);
  });
}

/** Views on `memory`, which holds exactly the tables. */
export function readTables(memory: ArrayBuffer, sizes: TableSizes): Tables {
  requireLittleEndian();
  let at = 0;
  const rows = layout(sizes).map(([name, length, bytes]) => {
    const view = bytes === 4 ? new Uint32Array(memory, at, length) : new Uint8Array(memory, at, length);
    at += length * bytes;
    return [name, view] as const;
  });
  return Object.fromEntries(rows) as unknown as Tables;
}

/** A trigram's third class: what is above it is where it begins. */
export const THIRD_BITS = 7;

/**
 * By the first two classes of trigrams: the row of the dictionary from which on they are. Among those that begin alike a search takes a third of
 * the steps that it takes among all, and each step that it saves is one into memory that no cache holds.
 */
export function rowsByBegin({ codes }: Tables): Uint32Array {
  const rows = new Uint32Array((TRIGRAM_CODES >>> THIRD_BITS) + 1);
  let row = 0;
  for (let begin = 0; begin < rows.length; begin++) {
    while (row < codes.length && codes[row]! >>> THIRD_BITS < begin) row++;
    rows[begin] = row;
  }
  return rows;
}

/** Where the signature of each piece begins, and the frame, if it begins with it; at the end, where the last ones end. */
export function piecePlaces(tables: Tables): { frames: Float64Array; signatures: Float64Array } {
  const pieces = tables.textLengths.length;
  const frames = new Float64Array(pieces + 1);
  const signatures = new Float64Array(pieces + 1);
  for (let i = 0; i < pieces; i++) {
    frames[i + 1] = frames[i]! + tables.frameLengths[i]!;
    signatures[i + 1] = signatures[i]! + signatureSize(tables.textLengths[i]!, tables.foldings[i]!);
  }
  return { frames, signatures };
}

/** The blob numbers, sorted by object id. */
export function sortByOid(oids: Uint8Array): Uint32Array {
  const bytes = Buffer.from(oids.buffer, oids.byteOffset, oids.byteLength);
  const order = Uint32Array.from({ length: oids.length / OID_BYTES }, (_, blob) => blob);
  return order.sort((a, b) => compareOids(bytes, a, bytes, b));
}

/** Compares the `a`th object id of `left` with the `b`th of `right`. */
export function compareOids(left: Buffer, a: number, right: Buffer, b: number): number {
  const at = a * OID_BYTES;
  const other = b * OID_BYTES;
  return left.compare(right, other, other + OID_BYTES, at, at + OID_BYTES);
}

/** The arrays are written as they lie in memory; every machine that Node has releases for is little-endian but s390x. */
function requireLittleEndian(): void {
  if (endianness() !== 'LE') throw new Error('code search segments need a little-endian machine');
}
