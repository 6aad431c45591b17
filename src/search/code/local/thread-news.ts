import type { SearchCall } from './messages.ts';
import type { SharedSignatures, SignatureMemory } from './shared-signatures.ts';

interface Told {
  /** The version. */
  signatures: number;
  crowded: boolean;
}

/**
 * What search threads must know beside what they are asked, and which of them knows it: each is told when it begins, and with its next call
 * once it has changed.
 */
export class ThreadNews<Thread> {
  readonly #signatures: SharedSignatures;
  readonly #told = new Map<Thread, Told>();
  /** Whether so many searched at once that other requests would wait for them. */
  #crowded = false;

  constructor(signatures: SharedSignatures) {
    this.#signatures = signatures;
  }

  /** What a thread begins with. */
  begin(thread: Thread): { signatures: SignatureMemory } {
    this.#signatures.want();
    this.#told.set(thread, { signatures: this.#signatures.version, crowded: false });
    return { signatures: this.#signatures.held };
  }

  /** From now on threads go behind those that serve other requests, until all of them have ended: none can come forward again. */
  crowd(): void {
    this.#crowded = true;
  }

  /** What is to be told to a thread with its next call, and is not said again. Nothing to one that has not begun. */
  tell(thread: Thread): Pick<SearchCall, 'signatures' | 'crowded'> {
    const told = this.#told.get(thread);
    if (!told) return {};
    const { version, held } = this.#signatures;
    this.#told.set(thread, { signatures: version, crowded: this.#crowded });
    return {
      ...(told.signatures !== version && { signatures: held }),
      ...(this.#crowded && !told.crowded && { crowded: true }),
    };
  }

  /** No call goes to the thread any more. */
  end(thread: Thread): void {
    this.#told.delete(thread);
    if (this.#told.size > 0) return;
    this.#signatures.release();
    this.#crowded = false;
  }
}
