import { hash } from 'node:crypto';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { Places } from '../../../git/places.ts';
import { isTooBig, readYaml, TOO_BIG, type YamlResult } from './read.ts';
import { measure, type Yaml } from './value.ts';
import { writeYaml } from './write.ts';

export type YamlTask = { text: string } | { tree: Yaml };

/** Texts that are read in a few milliseconds; most configurations. */
const SMALL_TEXT = 8_000;
const SMALL_TREE = 500;

/** Letters of text; what is read of them takes some ten times as much memory. */
const MAX_KEPT = 1_000_000;

const THREADS = 2;
const MAX_WAIT_MS = 10_000;
const TIMEOUT_MS = 10_000;
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/**
 * Reads and writes YAML. What is large gets a thread of its own: the parser makes some 2 MB a second and cannot pause, and a
 * hostile text may take any time and memory, so that thread is ended.
 */
export class YamlReader {
  readonly #places = new Places(THREADS, MAX_WAIT_MS);
  readonly #threads = new Set<Worker>();

  /** The same file makes one pipeline after the other. */
  readonly #known = new LRUCache<string, YamlResult>({ maxSize: MAX_KEPT });

  /** Throws 503 when too many wait. */
  async read(text: string): Promise<YamlResult> {
    if (isTooBig(text)) return TOO_BIG;
    if (text.length <= SMALL_TEXT) return readYaml(text);
    const key = hash('sha256', text);
    const known = this.#known.get(key);
    if (known) return known;
    const result = ((await this.#inThread({ text })) as YamlResult | null) ?? TOO_BIG;
    this.#known.set(key, result, { size: text.length });
    return result;
  }

  /** Null where it took too long. Throws 503 when too many wait. */
  async write(tree: Yaml): Promise<string | null> {
    if (measure(tree) <= SMALL_TREE) return writeYaml(tree);
    return (await this.#inThread({ tree })) as string | null;
  }

  async #inThread(task: YamlTask): Promise<unknown> {
    const release = await this.#places.acquire();
    const worker = startThread(task);
    this.#threads.add(worker);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    worker.once('message', resolve);
    worker.once('exit', () => resolve(null));
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(null);
      else reject(error);
    });
    const timer = setTimeout(() => resolve(null), TIMEOUT_MS);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      await worker.terminate();
      this.#threads.delete(worker);
      release();
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((worker) => worker.terminate()));
  }
}

/** With the compile cache of the process, which threads do not share by themselves: it saves them 80 ms of type stripping. */
function startThread(task: YamlTask): Worker {
  const cache = getCompileCacheDir(); // a folder of this version of Node in the one to name
  return new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: task,
    execArgv: [], // options of the process may make no sense for a file: `--input-type`
    resourceLimits: MEMORY,
    env: cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) },
  });
}
