import { type Effort, ZstdEncoder } from '../frames/encoder.ts';
import { FRAME_BYTES } from '../frames/frame.ts';
import { NumberList } from './growing.ts';

/** Packs pieces that follow each other into frames. */
export class FramePacker {
  readonly #write: (frame: Uint8Array) => void;
  readonly #encoders = { quick: new ZstdEncoder('quick'), thorough: new ZstdEncoder('thorough') };
  readonly #lengths = new NumberList();
  readonly #text = Buffer.allocUnsafeSlow(FRAME_BYTES);
  #used = 0;
  #pieces = 0;
  #effort: Effort = 'thorough';

  /** @param write takes each frame, in order */
  constructor(write: (frame: Uint8Array) => void) {
    this.#write = write;
  }

  /** The bytes may be reused afterwards. A frame is written with the effort of its last piece. */
  add(piece: Buffer, effort: Effort): void {
    if (this.#used + piece.length > FRAME_BYTES) this.flush();
    if (piece.length > FRAME_BYTES) {
      this.#put(this.#encoders[effort].encode(piece), 1);
      return;
    }
    this.#effort = effort;
    piece.copy(this.#text, this.#used);
    this.#used += piece.length;
    this.#pieces++;
  }

  /** Writes what is gathered, so that the next piece begins a frame. */
  flush(): void {
    if (this.#pieces === 0) return;
    this.#put(this.#encoders[this.#effort].encode(this.#text.subarray(0, this.#used)), this.#pieces);
    this.#used = 0;
    this.#pieces = 0;
  }

  /** Takes a frame of so many pieces as it is. */
  addFrame(frame: Uint8Array, pieces: number): void {
    this.flush();
    this.#put(frame, pieces);
  }

  /** `frameLengths` of the tables. */
  finish(): Uint32Array {
    this.flush();
    for (const encoder of Object.values(this.#encoders)) encoder.close();
    return this.#lengths.view();
  }

  #put(frame: Uint8Array, pieces: number): void {
    this.#write(frame);
    this.#lengths.push(frame.length);
    for (let piece = 1; piece < pieces; piece++) this.#lengths.push(0);
  }
}
