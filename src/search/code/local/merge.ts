import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { startThread } from '../../../platform/thread.ts';
import { SEGMENT_SUFFIX } from '../segment/format.ts';
import type { MergeStore, MovedBlob, SegmentState } from './merge-store.ts';
import type { MergeOrder, MergeReply } from './merge-worker.ts';
import { segmentPath } from './store.ts';

/** So many segments of about one size become one; each byte is then copied once for every factor of eight. */
const WIDTH = 8;
/** What one push leaves; all smaller ones count as equal. */
const SMALL_BYTES = 64 * 1024;
/** From this size on half a segment is worth a merge of its own. */
const WASTE_BYTES = 1024 * 1024;
/** Segments as large as a build makes them stay as they are. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface MergesOptions {
  dir: string;
  store: MergeStore;
  /** After each merge. */
  onDone: () => void;
  onFailure: (error: unknown) => void;
  /** An input cannot be read. */
  onDamaged: (segment: number, message: string) => void;
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
    const { dir, store, onDamaged } = this.#options;
    const inputs = group.map(({ id, file }) => ({ id, file, live: store.liveBlobs(id) }));
    const moved: MovedBlob[] = inputs
      .flatMap(({ id: from, live }) => live.map(({ id }) => ({ id, from })))
      .map((blob, number) => ({ ...blob, number }));
    if (moved.length === 0) {
      this.#replace(group, null, moved);
      return;
    }
    const file = `${randomBytes(8).toString('hex')}-m${SEGMENT_SUFFIX}`;
    const keeps = inputs.map(({ live, ...input }) => ({ ...input, keep: live.map(({ number }) => number) }));
    const reply = await runMerge({ dir, output: file, inputs: keeps }, this.#stop.signal);
    if (reply.kind === 'damaged') onDamaged(reply.segment, reply.message);
    else this.#replace(group, { file, bytes: reply.bytes }, moved);
  }

  #replace(
    group: readonly SegmentState[],
    by: { file: string; bytes: number } | null,
    moved: MovedBlob[],
  ): void {
    const { dir, store } = this.#options;
    const ids = group.map(({ id }) => id);
    const useless = store.replaceSegments(ids, by, moved) ? group : by ? [by] : [];
    for (const { file } of useless) rmSync(segmentPath(dir, file), { force: true });
  }
}

/** One that is not needed, or mostly not, alone; else eight of a size. Small ones wait for others: they lose blobs with every push. */
export function chooseGroup(segments: readonly SegmentState[]): SegmentState[] | null {
  const wasted = segments.find(
    ({ dead, blobs, bytes }) => dead === blobs || (dead * 2 > blobs && bytes > WASTE_BYTES),
  );
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

function runMerge(order: MergeOrder, signal: AbortSignal): Promise<MergeReply> {
  signal.throwIfAborted();
  const worker = startThread(new URL('./merge-worker.ts', import.meta.url), order, 1);
  const abort = () => void worker.terminate();
  signal.addEventListener('abort', abort, { once: true });
  return new Promise<MergeReply>((resolve, reject) => {
    let failure: unknown = new Error('the merge thread ended early');
    worker.once('message', resolve);
    worker.once('error', (error) => {
      failure = error;
    });
    worker.once('exit', () => reject(failure)); // after an answer this does nothing
  }).finally(() => signal.removeEventListener('abort', abort));
}
