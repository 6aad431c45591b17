import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startThread } from './thread.ts';

export interface IdleThreadOptions {
  file: URL;
  /** For the thread as it starts. */
  data?: unknown;
  /** See `startThread`. */
  maxYoungMb: number;
  /** Without a call for so long it ends, and gives its memory back. To start takes some 17 ms. */
  idleMs: number;
}

/**
 * A thread that answers each message with one, one call after the other. The first call starts it; when there are no more it ends by
 * itself. Only while it works does it keep the process from ending.
 */
export class IdleThread<Call, Answer> {
  readonly #options: IdleThreadOptions;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: IdleThreadOptions) {
    this.#options = options;
  }

  /** Rejects with what the thread threw, or because it ended; the next call starts another one. */
  ask(call: Call): Promise<Answer> {
    const answer = this.#last.then(() => this.#ask(call));
    this.#last = answer.catch(() => {}); // told to whoever has asked
    return answer;
  }

  /** Ends it at once; a call under way is lost, and rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  #start(): Worker {
    const { file, data, maxYoungMb } = this.#options;
    const thread = startThread(file, data, maxYoungMb);
    thread.on('error', () => {}); // told to whoever waits for an answer; between two calls nobody has to know
    thread.once('exit', () => {
      if (this.#thread === thread) this.#thread = null;
    });
    return thread;
  }

  async #ask(call: Call): Promise<Answer> {
    clearTimeout(this.#idle);
    const { idleMs } = this.#options;
    this.#thread ??= this.#start();
    const thread = this.#thread;
    thread.ref();
    try {
      const answer = answerOf<Answer>(thread);
      thread.postMessage(call);
      return await answer;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      thread.unref();
      this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    }
  }
}

async function answerOf<Answer>(thread: Worker): Promise<Answer> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(thread, 'exit', { signal }).then(() => {
    throw new Error('the thread ended before it had answered');
  });
  try {
    const [answer] = (await Promise.race([once(thread, 'message', { signal }), ended])) as [Answer];
    return answer;
  } finally {
    ended.catch(() => {}); // given up with the next line
    over.abort();
  }
}
