import { Worker } from 'node:worker_threads';
import { Places } from '../../../git/places.ts';
import type { WikiFormat } from '../formats.ts';

export interface RenderLimits {
  /** Pages rendered at once. */
  threads?: number;
  /** What takes longer is shown as it was written. */
  timeoutMs?: number;
}

const MAX_WAIT_MS = 10_000;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/**
 * Turns pages into HTML that is safe to show. Each Markdown text gets a thread of its own, because a hostile one may take any
 * time and memory: that thread is ended, and the text shown as it is. So are texts in the other formats.
 */
export class PageRenderer {
  readonly #places: Places;
  readonly #timeoutMs: number;

  constructor({ threads = 2, timeoutMs = 5_000 }: RenderLimits = {}) {
    this.#places = new Places(threads, MAX_WAIT_MS);
    this.#timeoutMs = timeoutMs;
  }

  /** Throws 503 when too many wait. */
  async render(page: { format: string; content: string }, signal: AbortSignal): Promise<string> {
    if (page.format !== ('markdown' satisfies WikiFormat)) return asWritten(page.content);
    const release = await this.#places.acquire(signal);
    try {
      return (await this.#markdown(page.content, signal)) ?? asWritten(page.content);
    } finally {
      release();
    }
  }

  /** Null when the thread came to no end. */
  async #markdown(text: string, signal: AbortSignal): Promise<string | null> {
    const file = new URL('./worker.ts', import.meta.url);
    const worker = new Worker(file, { workerData: text, resourceLimits: MEMORY });
    const { promise: html, resolve, reject } = Promise.withResolvers<string | null>();
    worker.once('message', resolve);
    worker.once('exit', () => resolve(null));
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(null);
      else reject(error);
    });
    const ended = () => reject(signal.reason);
    signal.addEventListener('abort', ended, { once: true });
    const timer = setTimeout(() => resolve(null), this.#timeoutMs);
    try {
      return await html;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', ended);
      await worker.terminate();
    }
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const asWritten = (text: string): string =>
  `<pre class="code"><code>${text.replace(/[&<>"]/g, (char) => ENTITIES[char]!)}</code></pre>\n`;
