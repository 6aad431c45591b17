import { close, fstatSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import type { LiveFiles } from './live-files.ts';

/** Logs that are kept open, and for how long after their last piece. */
const MAX_OPEN = 200;
const IDLE_MS = 30_000;

/** A log that can be written to. */
export interface WritableLog {
  /** Descriptor, for reading and writing. */
  file: number;
  /** In bytes, as it is now, whichever process has written it. */
  size: number;
}

interface Kept {
  file: number;
  inode: number;
  users: number;
  /** Nobody finds it any more: its last user closes it. */
  isLeft: boolean;
}

/**
 * Live logs that were written to a moment ago, still open: to open, measure and close one for each piece are three ways to the threads
 * for files and back, 2.4 ms of this thread for twenty pieces. Another process may begin a log anew or remove it: what the name stands
 * for is looked at each time.
 */
export class OpenLogs {
  readonly #files: LiveFiles;
  readonly #kept = new LRUCache<number, Kept>({
    max: MAX_OPEN,
    ttl: IDLE_MS,
    updateAgeOnGet: true,
    dispose: leave,
  });
  #tidying: NodeJS.Timeout | undefined;

  constructor(files: LiveFiles) {
    this.#files = files;
  }

  /** The log is made where it is not there. `work` must not use the descriptor once it has ended. */
  async use<T>(jobId: number, work: (log: WritableLog) => Promise<T>): Promise<T> {
    const there = this.#files.look(jobId);
    const known = this.#kept.get(jobId);
    if (known && there?.inode === known.inode) return this.#with(known, there.size, work);
    const file = await this.#files.openToWrite(jobId);
    const { ino: inode, size } = fstatSync(file);
    const opened = { file, inode, users: 0, isLeft: false };
    const done = this.#with(opened, size, work);
    this.#kept.set(jobId, opened);
    this.#tidySoon();
    return done;
  }

  forget(jobId: number): void {
    this.#kept.delete(jobId);
  }

  async #with<T>(kept: Kept, size: number, work: (log: WritableLog) => Promise<T>): Promise<T> {
    kept.users++;
    try {
      return await work({ file: kept.file, size });
    } finally {
      kept.users--;
      if (kept.isLeft) closeUnused(kept);
    }
  }

  /** A log that another process has removed holds its bytes on the disk for as long as it is open here. */
  #tidySoon(): void {
    this.#tidying ??= setTimeout(() => {
      this.#tidying = undefined;
      this.#kept.purgeStale();
      if (this.#kept.size > 0) this.#tidySoon();
    }, IDLE_MS).unref();
  }
}

function leave(kept: Kept): void {
  kept.isLeft = true;
  closeUnused(kept);
}

function closeUnused({ file, users }: Kept): void {
  if (users === 0) close(file, () => {}); // everything was written before, each piece with its own answer
}
