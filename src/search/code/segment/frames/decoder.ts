import { createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import { SLACK, ZstdStream } from './zstd-stream.ts';

/** Decodes zstd frames one after the other into memory that is there already. */
export class ZstdDecoder {
  #stream: ZstdStream | null = null;

  /** Fills all of `room` but its last `SLACK` bytes. False when the frame is damaged, or its text longer or shorter. */
  decode(frame: Buffer, room: Buffer): boolean {
    this.#stream ??= new ZstdStream(createZstdDecompress());
    if (!this.#stream.isNative) return decodePublicly(frame, room);
    const isWhole = this.#stream.pass(frame, room) === room.length - SLACK;
    if (!isWhole) this.close(); // it may be in the middle of a frame
    return isWhole;
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
  }
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
