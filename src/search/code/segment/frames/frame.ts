import { PIECE_BYTES } from '../chunks.ts';
import { SegmentDamaged } from '../format.ts';
import { ZstdDecoder } from './decoder.ts';
import { SLACK } from './zstd-stream.ts';

/** Text of a frame, unless a single piece is longer. Small files take less room together than in frames of their own. */
export const FRAME_BYTES = PIECE_BYTES;

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
