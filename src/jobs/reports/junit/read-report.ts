import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { ObjectNotFound, type ObjectStore } from '../../../platform/objects/object-store.ts';
import { startThread } from '../../../platform/thread.ts';
import { objectKey } from '../../artifacts/store.ts';
import type { ArtifactRow } from '../../artifacts/tables.ts';
import type { ReadReport, ReportToRead } from './thread.ts';

/** Of a packed report; what is larger is not read. */
const MAX_PACKED = 10 * 1024 * 1024;
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_MS = 20_000;
/** Memory for the short-lived values of the thread. */
const YOUNG_MB = 16;
/** What was read is kept within these bounds: reports never change. */
const KEPT_BYTES = 16 * 1024 * 1024;
const BYTES_OF_CASE = 400;

/** JUnit reports as lists of tests. Read in a thread, one at a time. */
export class JunitReports {
  readonly #objects: ObjectStore;
  readonly #known = new LRUCache<number, ReadReport>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (report) => 1000 + ('cases' in report ? report.cases.length * BYTES_OF_CASE : 0),
  });
  readonly #closing = new AbortController();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  async read(row: Pick<ArtifactRow, 'id' | 'size'>): Promise<ReadReport> {
    const known = this.#known.get(row.id);
    if (known) return known;
    const turn = this.#queue.then(async () => {
      const report = this.#known.get(row.id) ?? (await this.#readAnew(row));
      this.#known.set(row.id, report);
      return report;
    });
    this.#queue = turn.catch(() => {}); // told to whoever asked for it
    return turn;
  }

  /** Ends the thread that reads just now. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue;
  }

  async #readAnew(row: Pick<ArtifactRow, 'id' | 'size'>): Promise<ReadReport> {
    if (row.size > MAX_PACKED) return { error: 'JUnit XML parsing failed: the report is too large' };
    try {
      const packed = await buffer(await this.#objects.get(objectKey(row)));
      return await inThread({ packed, maxBytes: MAX_BYTES }, this.#closing.signal);
    } catch (error) {
      if (error instanceof ObjectNotFound) return { cases: [] };
      throw error;
    }
  }
}

/** A thread that takes too long, or too much memory, is a report that cannot be read. */
function inThread(report: ReportToRead, closing: AbortSignal): Promise<ReadReport> {
  return new Promise((resolve) => {
    const thread = startThread(new URL('thread.ts', import.meta.url), report, YOUNG_MB);
    const end = (result: ReadReport) => {
      clearTimeout(timer);
      closing.removeEventListener('abort', giveUp);
      resolve(result);
      void thread.terminate();
    };
    const giveUp = () => end({ error: 'JUnit XML parsing failed: it takes too long' });
    const timer = setTimeout(giveUp, MAX_MS);
    closing.addEventListener('abort', giveUp, { once: true });
    if (closing.aborted) giveUp();
    thread.once('message', end);
    thread.once('error', () => end({ error: 'JUnit XML parsing failed: the report cannot be read' }));
  });
}
