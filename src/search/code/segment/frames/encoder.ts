import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib';
import { ZstdStream } from './zstd-stream.ts';

/** The second takes twice the time of the first, for 5 %. */
export type Effort = 'quick' | 'thorough';
const LEVELS: Record<Effort, number> = { quick: 4, thorough: 5 };

/** The checksum tells a damaged frame. */
const paramsOf = (effort: Effort) => ({
  [constants.ZSTD_c_compressionLevel]: LEVELS[effort],
  [constants.ZSTD_c_checksumFlag]: 1,
});

/** Bytes that a frame takes at most: a 256th more than the text, and a little; and some that stay free. */
const roomFor = (bytes: number): number => bytes + (bytes >>> 8) + 1024;

/** Makes zstd frames one after the other. */
export class ZstdEncoder {
  readonly #effort: Effort;
  #stream: ZstdStream | null = null;
  #room = Buffer.alloc(0);

  constructor(effort: Effort) {
    this.#effort = effort;
  }

  /** The frame of a text. Good until the next call. */
  encode(text: Buffer): Buffer {
    this.#stream ??= new ZstdStream(createZstdCompress({ params: paramsOf(this.#effort) }));
    if (!this.#stream.isNative) return encodePublicly(text, this.#effort);
    const needed = roomFor(text.length);
    if (this.#room.length < needed) this.#room = Buffer.allocUnsafeSlow(needed);
    const used = this.#stream.pass(text, this.#room);
    if (used === null) throw new Error(`zstd cannot write ${text.length} bytes`);
    return this.#room.subarray(0, used);
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
  }
}

/** The same by public means. */
export function encodePublicly(text: Buffer, effort: Effort): Buffer {
  return zstdCompressSync(text, { params: paramsOf(effort), chunkSize: roomFor(text.length) });
}
