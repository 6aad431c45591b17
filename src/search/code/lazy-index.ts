import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { CodeIndex } from './code-index.ts';

/** After a failure nobody tries again for so long. */
const REST_MS = 30_000;

/** The index, opened when it is first needed: a service without code does not pay for it. */
export class LazyIndex {
  readonly #open: () => Promise<CodeIndex>;
  readonly #clock: Clock;
  readonly #log: Log;
  #opening: Promise<CodeIndex> | null = null;
  #opened: CodeIndex | null = null;
  #failedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(open: () => Promise<CodeIndex>, { clock, log }: { clock: Clock; log: Log }) {
    this.#open = open;
    this.#clock = clock;
    this.#log = log;
  }

  /** Null as long as nobody has needed it. */
  get opened(): CodeIndex | null {
    return this.#opened;
  }

  /** Throws the reason why it cannot be opened: a full disk, a folder that may not be written. */
  get(): Promise<CodeIndex> {
    if (this.#opening) return this.#opening;
    const opening = this.#tryOpen();
    this.#opening = opening;
    opening.catch(() => {
      this.#opening = null; // the next one who needs it tries again
    });
    return opening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => {}); // told in the log already
    await this.#opened?.close();
  }

  async #tryOpen(): Promise<CodeIndex> {
    try {
      if (this.#closed) throw new Error('the code index is closed');
      if (this.#clock.now() - this.#failedAt < REST_MS) throw new Error('the code index could not be opened');
      this.#opened = await this.#open();
      return this.#opened;
    } catch (error) {
      if (this.#closed || this.#clock.now() - this.#failedAt < REST_MS) throw error;
      this.#failedAt = this.#clock.now();
      this.#log.error({ err: error }, 'the code index could not be opened: searches read the repositories');
      throw error;
    }
  }
}
