import type { ZstdCompress, ZstdDecompress } from 'node:zlib';
import { constants } from 'node:zlib';

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
 * A zstd context that is used for one frame after the other. The calls that Node has for one frame make a stream, a context and a
 * buffer for each, which takes longer than the work itself. Node has no public call that keeps them, so this one speaks to the
 * stream's native half (decision 0017).
 */
export class ZstdStream {
  readonly #stream: (ZstdCompress | ZstdDecompress) & Native;

  constructor(stream: ZstdCompress | ZstdDecompress) {
    this.#stream = stream;
    // What fails is told here as well as by `destroyed`.
    stream.on('error', () => {});
  }

  /** Should another Node not have the native half, frames go through its public calls. */
  get isNative(): boolean {
    const { _handle, _writeState } = this.#stream;
    return typeof _handle?.writeSync === 'function' && _writeState !== undefined;
  }

  /** All of the input, as one frame, into `room`: how many bytes of it were used; null when it failed or did not fit. */
  pass(input: Buffer, room: Buffer): number | null {
    const { _handle: native, _writeState: left } = this.#stream;
    native!.writeSync!(constants.ZSTD_e_end, input, 0, input.length, room, 0, room.length);
    const isWhole = !this.#stream.destroyed && left![0]! > 0 && left![1] === 0;
    return isWhole ? room.length - left![0]! : null;
  }

  close(): void {
    this.#stream.close();
  }
}
