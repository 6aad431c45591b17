import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Places } from '../../../git/places.ts';
import { Breath } from '../breath.ts';
import { Assembly, type Part, partsOf } from './parts.ts';
import type { YamlResult } from './read.ts';
import type { Yaml } from './value.ts';

export type FromThread = Part | { error: string } | { text: string };

const THREADS = 2;
const MAX_WAIT_MS = 10_000;
const TIMEOUT_MS = 30_000;
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/** Nothing is known of the text: whoever asked has to ask again. */
export class YamlReaderClosed extends Error {
  override name = 'YamlReaderClosed';
}

/** Threads that each read or write one YAML text. One that takes too long, or too much memory, is ended. */
export class YamlThreads {
  readonly #places = new Places(THREADS, MAX_WAIT_MS);
  readonly #running = new Set<Worker>();
  #closed = false;

  /** Null where it came to no end. Throws 503 when too many wait. */
  read(text: string): Promise<YamlResult | null> {
    const result = new Assembly();
    return this.#run<YamlResult>(text, (message) => {
      if ('error' in message) return message;
      const isLast = !('text' in message) && result.add(message);
      return isLast ? { documents: result.documents } : null;
    });
  }

  /** Null where it came to no end. Throws 503 when too many wait. */
  write(tree: Yaml): Promise<string | null> {
    const send = async (worker: Worker) => {
      const breath = new Breath();
      for (const part of partsOf([tree])) {
        worker.postMessage(part);
        await breath.take();
      }
    };
    return this.#run<string>(null, (message) => ('text' in message ? message.text : null), send);
  }

  /** @param take what a message completes, null while there is more to come */
  async #run<Result>(
    data: string | null,
    take: (message: FromThread) => Result | null,
    send?: (worker: Worker) => Promise<void>,
  ): Promise<Result | null> {
    const release = await this.#places.acquire();
    if (this.#closed) {
      release();
      throw new YamlReaderClosed();
    }
    const worker = startThread(data);
    this.#running.add(worker);
    const { promise, resolve, reject } = Promise.withResolvers<Result | null>();
    worker.on('message', (message: FromThread) => {
      const result = take(message);
      if (result !== null) resolve(result);
    });
    worker.once('exit', () => (this.#closed ? reject(new YamlReaderClosed()) : resolve(null)));
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(null);
      else reject(error);
    });
    const timer = setTimeout(() => resolve(null), TIMEOUT_MS);
    try {
      await send?.(worker);
      return await promise;
    } finally {
      clearTimeout(timer);
      await worker.terminate();
      this.#running.delete(worker);
      release();
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running].map((worker) => worker.terminate()));
  }
}

/** With the compile cache of the process, which threads do not share by themselves: it saves them 80 ms of type stripping. */
function startThread(data: string | null): Worker {
  const cache = getCompileCacheDir(); // a folder of this version of Node in the one to name
  return new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: data,
    execArgv: [], // options of the process may make no sense for a file: `--input-type`
    resourceLimits: MEMORY,
    env: cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) },
  });
}
