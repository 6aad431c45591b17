import { constants, createZstdDecompress, type ZstdDecompress, zstdDecompressSync } from 'node:zlib';

/** What a stream of `node:zlib` keeps for itself: its native half, and what was left of room and input after a call. */
interface Native {
  _handle?: {
    writeSync?(
      flush: number,
      ...inputThenOutput: [Buffer, start: number, length: number, Buffer, start: number, length: number]
    ): void;
  } | null;
  _writeState?: Uint32Array;
}

/** Room behind a text: only where some is left does zlib look whether the frame has ended. */
export const SLACK = 64;

/**
 * Decodes zstd frames one after the other into memory that is there already. `zstdDecompressSync` makes a stream and a buffer for
 * each frame, which takes nearly as long as to decode 64 kB. Node has no public call that keeps them, so this one speaks to
 * the stream's native half; should another Node have it no longer, frames are decoded by the public call (decision 0017).
 */
export class ZstdDecoder {
  #stream: (ZstdDecompress & Native) | null = null;

  /** Fills all of `room` but its last `SLACK` bytes. False when the frame is damaged, or its text longer or shorter. */
  decode(frame: Buffer, room: Buffer): boolean {
    this.#stream ??= openStream();
    const { _handle: native, _writeState: left } = this.#stream;
    if (!native?.writeSync || !left) return decodePublicly(frame, room);
    native.writeSync(constants.ZSTD_e_end, frame, 0, frame.length, room, 0, room.length);
    const isWhole = !this.#stream.destroyed && left[0] === SLACK && left[1] === 0;
    if (!isWhole) this.close(); // it may be in the middle of a frame
    return isWhole;
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
  }
}

function openStream(): ZstdDecompress & Native {
  const stream = createZstdDecompress();
  // A damaged frame is told here as well as by `destroyed`.
  stream.on('error', () => {});
  return stream;
}

/** The same by public means. */
export function decodePublicly(frame: Buffer, room: Buffer): boolean {
  try {
    const text = zstdDecompressSync(frame, { chunkSize: room.length, maxOutputLength: room.length });
    text.copy(room);
    return text.length === room.length - SLACK;
  } catch {
    return false;
  }
}
