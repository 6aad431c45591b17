import { constants, zstdCompressSync } from 'node:zlib';
import { CHUNK_BYTES } from './chunks.ts';
import { SegmentDamaged } from './format.ts';
import { SLACK, ZstdDecoder } from './zstd-decoder.ts';

/** Text of a frame, unless a single chunk is longer. Small files take an eighth less room than in frames of their own. */
export const FRAME_BYTES = CHUNK_BYTES;

/** Level 5 takes twice the time of 4, a tenth of a build, for 6 %. The checksum tells a damaged frame. */
const COMPRESS = {
  [constants.ZSTD_c_compressionLevel]: 5,
  [constants.ZSTD_c_checksumFlag]: 1,
};

export function compressFrame(text: Buffer): Buffer {
  return zstdCompressSync(text, { params: COMPRESS, chunkSize: text.length + SLACK });
}

const decoder = new ZstdDecoder();

/**
 * The text of a frame, of so many bytes, in memory that `allocate` gives for them and a little more.
 * @throws SegmentDamaged when it is not a text of so many bytes
 */
export function decompressFrame(
  frame: Buffer,
  bytes: number,
  allocate: (bytes: number) => Buffer = Buffer.allocUnsafeSlow,
): Buffer {
  const room = allocate(bytes + SLACK);
  if (!decoder.decode(frame, room)) throw new SegmentDamaged('a frame is damaged');
  return room.subarray(0, bytes);
}
