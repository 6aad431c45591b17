import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Lanes } from '../../../git/lanes.ts';
import { startThread } from '../../../platform/thread.ts';
import type { BuildWorkerData, FromBuildWorker, ToBuildWorker } from './build-worker.ts';
import { readInto, SegmentOutput } from './segment-output.ts';
import { segmentFolder } from './store.ts';
import { Turns } from './turns.ts';
import type { NewBlobs } from './write-store.ts';

export interface BuildOptions {
  signal: AbortSignal;
  progress: (progress: { done: number; total: number }) => void;
}

export interface SegmentBuildsOptions {
  dir: string;
  /** Threads of a large build. */
  workers: number;
  maxBlobBytes: number;
  /** Of this thread. */
  lanes: Lanes;
}

/** Up to so many blobs are read in this thread: a push of ten files takes less than a thread needs to start. */
const INLINE = 400;
/** A large build hands out so many at a time. */
const MAX_BATCH = 4_000;
const MIN_BATCH = 1_000;

/** Reads blobs of a repository into new segment files. */
export class SegmentBuilds {
  readonly #options: SegmentBuildsOptions;
  /** One large build at a time: its threads fill the machine already. */
  readonly #large = new Turns(1);

  constructor(options: SegmentBuildsOptions) {
    this.#options = options;
  }

  /** The files are on the disk when it is fulfilled, and gone when it is rejected. */
  async read(repository: string, oids: readonly string[], options: BuildOptions): Promise<NewBlobs> {
    if (oids.length === 0) return { segments: [], outside: [] };
    const prefix = randomBytes(8).toString('hex');
    try {
      if (oids.length <= INLINE) return await this.#readHere(repository, oids, prefix, options);
      return await this.#large.run(() => this.#readInWorkers(repository, oids, prefix, options));
    } catch (error) {
      const folder = segmentFolder(this.#options.dir);
      for (const name of readdirSync(folder))
        if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true });
      throw error;
    }
  }

  async #readHere(
    repository: string,
    oids: readonly string[],
    prefix: string,
    { signal }: BuildOptions,
  ): Promise<NewBlobs> {
    const output = new SegmentOutput(this.#options.dir, prefix);
    const { maxBlobBytes, lanes } = this.#options;
    await readInto(output, { repository, lanes, maxBlobBytes }, oids, signal);
    return output.finish();
  }

  async #readInWorkers(
    repository: string,
    oids: readonly string[],
    prefix: string,
    { signal, progress }: BuildOptions,
  ): Promise<NewBlobs> {
    signal.throwIfAborted();
    const batches = batchesOf(oids, this.#options.workers);
    const total = oids.length;
    let done = 0;
    progress({ done, total });
    const count = Math.min(this.#options.workers, batches.length);
    const abort = new AbortController();
    const runs = Array.from({ length: count }, (_, index) => {
      const { dir, maxBlobBytes } = this.#options;
      const data: BuildWorkerData = {
        dir,
        prefix: `${prefix}-${index}`,
        place: { repository, maxBlobBytes },
      };
      return runWorker(data, {
        signal: AbortSignal.any([signal, abort.signal]),
        next: () => batches.shift(),
        onRead: (read) => {
          done += read;
          progress({ done, total });
        },
      });
    });
    try {
      const parts = await Promise.all(runs);
      return {
        segments: parts.flatMap(({ segments }) => segments),
        outside: parts.flatMap(({ outside }) => outside),
      };
    } catch (error) {
      abort.abort();
      await Promise.allSettled(runs); // no thread may write a file after they were cleared away
      throw error;
    }
  }
}

/**
 * In path order, so that the chunks of a segment are. Each costs a process; the last ones are smaller, for the threads to end
 * together, and so are those of small builds, for every thread to get something.
 */
function batchesOf(oids: readonly string[], workers: number): string[][] {
  const half = (count: number) => Math.ceil(count / workers / 2);
  const least = Math.min(MIN_BATCH, half(oids.length));
  const batches: string[][] = [];
  for (let at = 0; at < oids.length; at += batches.at(-1)!.length) {
    const size = Math.min(MAX_BATCH, Math.max(least, half(oids.length - at)));
    batches.push(oids.slice(at, at + size));
  }
  return batches;
}

interface WorkerRun {
  signal: AbortSignal;
  next: () => string[] | undefined;
  onRead: (count: number) => void;
}

/** Feeds one thread until there is nothing left, and waits for its end. */
async function runWorker(
  workerData: BuildWorkerData,
  { signal, next, onRead }: WorkerRun,
): Promise<NewBlobs> {
  const worker = startThread(new URL('./build-worker.ts', import.meta.url), workerData, 1);
  const send = (message: ToBuildWorker) => worker.postMessage(message);
  const feed = () => {
    const oids = next();
    send(oids ? { kind: 'read', oids } : { kind: 'finish' });
  };
  const abort = () => void worker.terminate();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<NewBlobs>((resolve, reject) => {
      let result: NewBlobs | undefined;
      let failure: unknown = new Error('a build thread ended early');
      worker.on('message', (message: FromBuildWorker) => {
        if (message.kind === 'finished') {
          result = message.blobs;
          return;
        }
        onRead(message.count);
        feed();
      });
      worker.once('error', (error) => {
        failure = error;
      });
      worker.once('exit', () => {
        if (result) resolve(result);
        else reject(signal.aborted ? signal.reason : failure);
      });
      feed();
    });
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
