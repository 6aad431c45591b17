import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { SEGMENT_SUFFIX } from '../segment/format.ts';
import type { MergeOrder } from './merge-worker.ts';
import { segmentPath } from './store.ts';
import type { MovedBlob, WriteStore } from './write-store.ts';

type SegmentState = ReturnType<WriteStore['segments']>[number];

/** So many segments of about one size become one; each byte is then copied once for every factor of eight. */
const WIDTH = 8;
/** What one push leaves; all smaller ones count as equal. */
const SMALL_BYTES = 64 * 1024;
/** Segments as large as a build makes them stay as they are. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface MergesOptions {
  dir: string;
  store: WriteStore;
  /** After each merge. */
  onDone: () => void;
  onFailure: (error: unknown) => void;
}

/** Joins small segments and drops dead blobs, in a thread of its own while everything else goes on. */
export class Merges {
  readonly #options: MergesOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: MergesOptions) {
    this.#options = options;
  }

  /** Looks whether there is something to do, after each write. */
  consider(): void {
    if (this.#running || this.#stop.signal.aborted) return;
    const group = chooseGroup(this.#options.store.segments());
    if (!group) return;
    this.#running = this.#merge(group).then(
      () => this.#next(),
      (error) => {
        this.#running = null; // the next write tries again
        if (!this.#stop.signal.aborted) this.#options.onFailure(error);
      },
    );
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #next(): void {
    this.#running = null;
    this.#options.onDone();
    this.consider();
  }

  async #merge(group: readonly SegmentState[]): Promise<void> {
    const { dir, store } = this.#options;
    const old = group.map(({ id }) => id);
    const inputs = group.map(({ id, file }) => ({ file, live: store.liveBlobs(id) }));
    const moved: MovedBlob[] = inputs.flatMap(({ live }) => live).map(({ id }, number) => ({ id, number }));
    const output = `${randomBytes(8).toString('hex')}-m${SEGMENT_SUFFIX}`;
    const order = {
      dir,
      output,
      inputs: inputs.map(({ file, live }) => ({ file, keep: live.map(({ number }) => number) })),
    };
    const bytes = moved.length === 0 ? 0 : await runMerge(order, this.#stop.signal);
    const replaced = store.replaceSegments(old, moved.length === 0 ? null : { file: output, bytes }, moved);
    const useless = replaced ? group.map(({ file }) => file) : [output];
    for (const file of useless) rmSync(segmentPath(dir, file), { force: true });
  }
}

/** The most wasteful segment alone, else eight of a size. */
export function chooseGroup(segments: readonly SegmentState[]): SegmentState[] | null {
  const wasted = segments.find(({ dead, blobs }) => dead * 2 > blobs || dead === blobs);
  if (wasted) return [wasted];
  const tiers = new Map<number, SegmentState[]>();
  for (const segment of segments) {
    if (segment.bytes >= MAX_BYTES) continue;
    const tier = Math.max(0, Math.ceil(Math.log(segment.bytes / SMALL_BYTES) / Math.log(WIDTH)));
    const peers = tiers.get(tier) ?? [];
    tiers.set(tier, [...peers, segment]);
  }
  const full = [...tiers.entries()].sort(([a], [b]) => a - b).find(([, peers]) => peers.length >= WIDTH);
  return full?.[1].slice(0, WIDTH) ?? null;
}

/** Gives the size of the file. */
function runMerge(order: MergeOrder, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./merge-worker.ts', import.meta.url), {
    workerData: order,
    resourceLimits: { maxYoungGenerationSizeMb: 1 },
  });
  const abort = () => void worker.terminate();
  signal.addEventListener('abort', abort, { once: true });
  return new Promise<number>((resolve, reject) => {
    let failure: unknown = new Error('the merge thread ended early');
    worker.once('message', resolve);
    worker.once('error', (error) => {
      failure = error;
    });
    worker.once('exit', () => reject(failure)); // after an answer this does nothing
  }).finally(() => signal.removeEventListener('abort', abort));
}
