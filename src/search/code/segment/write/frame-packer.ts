import { compressFrame, FRAME_BYTES } from '../frame.ts';
import { NumberList } from './growing.ts';

/** Packs chunks that follow each other into frames. */
export class FramePacker {
  readonly #write: (frame: Uint8Array) => void;
  readonly #lengths = new NumberList();
  readonly #text = Buffer.allocUnsafeSlow(FRAME_BYTES);
  #used = 0;
  #chunks = 0;

  /** @param write takes each frame, in order */
  constructor(write: (frame: Uint8Array) => void) {
    this.#write = write;
  }

  /** The bytes may be reused afterwards. */
  add(chunk: Buffer): void {
    if (this.#used + chunk.length > FRAME_BYTES) this.flush();
    if (chunk.length > FRAME_BYTES) {
      this.#put(compressFrame(chunk), 1);
      return;
    }
    chunk.copy(this.#text, this.#used);
    this.#used += chunk.length;
    this.#chunks++;
  }

  /** Writes what is gathered, so that the next chunk begins a frame. */
  flush(): void {
    if (this.#chunks === 0) return;
    this.#put(compressFrame(this.#text.subarray(0, this.#used)), this.#chunks);
    this.#used = 0;
    this.#chunks = 0;
  }

  /** Takes a frame of so many chunks as it is. */
  addFrame(frame: Uint8Array, chunks: number): void {
    this.flush();
    this.#put(frame, chunks);
  }

  /** `frameLengths` of the tables. */
  finish(): Uint32Array {
    this.flush();
    return this.#lengths.view();
  }

  #put(frame: Uint8Array, chunks: number): void {
    this.#write(frame);
    this.#lengths.push(frame.length);
    for (let chunk = 1; chunk < chunks; chunk++) this.#lengths.push(0);
  }
}
