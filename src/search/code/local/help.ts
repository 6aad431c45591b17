import type { Bitmap } from '../segment/bitmap.ts';
import type { Way } from './suspects.ts';

/** What other threads need to help with a search of contents: they neither read the lists again nor choose another way. */
export interface Help {
  way: Way;
  /** By segment: the chunks that may match, null for all of them. */
  candidates: ReadonlyMap<number, Bitmap | null>;
  /** Names what the index held: in another state of it they cannot help. */
  state: string;
}

/**
 * Asks for help once a search has looked through files for so long that there is likely more to come. Most end before, and what others
 * would do for them is done in vain.
 */
export class CallForHelp {
  readonly #afterMs: number;
  #ask: ((help: Help) => void) | null;
  #begin = 0;

  constructor(afterMs: number, ask: ((help: Help) => void) | null) {
    this.#afterMs = afterMs;
    this.#ask = ask;
  }

  /** Nobody can help, or nobody is needed. */
  static none(): CallForHelp {
    return new CallForHelp(0, null);
  }

  /** The lists are read: the files begin. */
  begin(): void {
    this.#begin = performance.now();
  }

  /** To be called after each file. */
  consider(help: () => Help): void {
    if (!this.#ask || performance.now() - this.#begin < this.#afterMs) return;
    this.#ask(help());
    this.#ask = null;
  }
}
