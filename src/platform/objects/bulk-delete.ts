import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../thread.ts';
import type { NotDeleted, ToDelete } from './delete-thread.ts';

const FILE = new URL('./delete-thread.ts', import.meta.url);
const MEMORY_MB = 4;
/** Whoever deletes in batches comes again sooner; to start takes as long as removing a thousand files. */
const IDLE_MS = 1000;

/** Removes many objects in a thread, which ends by itself when there is no more to remove, and keeps no process from ending. */
export class BulkDelete {
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** One call after the other. Resolves to what is left. */
  delete(work: ToDelete): Promise<NotDeleted> {
    const answer = this.#last.then(() => this.#ask(work));
    this.#last = answer.catch(() => {}); // told to whoever has asked
    return answer;
  }

  async #ask(work: ToDelete): Promise<NotDeleted> {
    clearTimeout(this.#idle);
    this.#thread ??= startThread(FILE, null, MEMORY_MB);
    const thread = this.#thread;
    thread.ref();
    try {
      thread.postMessage(work);
      const [failed] = (await once(thread, 'message')) as [NotDeleted];
      thread.unref();
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
      return failed;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #end(): void {
    void this.#thread?.terminate();
    this.#thread = null;
  }
}
