import { constants, open as openCallback, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const openFile = promisify(openCallback);

/** Folders that the files are spread over. */
const FOLDERS = 256;

/**
 * The logs of running jobs: one file each, which only grows, in a folder that all processes share. What was written is in the system's
 * cache once `write` has returned, and every reader of every process sees it; docs/decisions/0011 has the reasons.
 */
export class LiveFiles {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** A descriptor for reading and writing at a place; made where it is not there. The caller closes it. */
  async openToWrite(jobId: number): Promise<number> {
    const path = this.#path(jobId);
    const flags = constants.O_RDWR | constants.O_CREAT;
    try {
      return await openFile(path, flags, 0o600);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      await mkdir(dirname(path), { recursive: true });
      return openFile(path, flags, 0o600);
    }
  }

  /** What the name stands for now; null where there is none. At once: the system knows it, and a thread would take longer to ask. */
  look(jobId: number): { inode: number; size: number } | null {
    const found = statSync(this.#path(jobId), { throwIfNoEntry: false });
    return found ? { inode: found.ino, size: found.size } : null;
  }

  /** Null where there is none. The caller closes it. */
  openToRead(jobId: number): Promise<FileHandle | null> {
    return orNull(open(this.#path(jobId), 'r'));
  }

  /** In bytes; null where there is none. */
  async size(jobId: number): Promise<number | null> {
    return (await orNull(stat(this.#path(jobId))))?.size ?? null;
  }

  /** Begins the log anew. What it was is kept until `settle` or `remove`. */
  async startOver(jobId: number): Promise<void> {
    await orNull(rename(this.#path(jobId), this.#formerPath(jobId)));
  }

  /** Of the log and what it was before it began anew, the longer one stays: a resend may have been cut off. */
  async settle(jobId: number): Promise<void> {
    const former = await orNull(stat(this.#formerPath(jobId)));
    if (!former) return;
    const isLonger = former.size > ((await this.size(jobId)) ?? -1);
    if (isLonger) await orNull(rename(this.#formerPath(jobId), this.#path(jobId)));
    else await orNull(unlink(this.#formerPath(jobId)));
  }

  /** One that is not there is no error. */
  async remove(jobId: number): Promise<void> {
    await orNull(unlink(this.#path(jobId)));
    await orNull(unlink(this.#formerPath(jobId)));
  }

  #path(jobId: number): string {
    return join(this.#dir, (jobId % FOLDERS).toString(16).padStart(2, '0'), `${jobId}.log`);
  }

  #formerPath(jobId: number): string {
    return `${this.#path(jobId)}.former`;
  }
}

/** Null where the file is not there. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

const isAbsent = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';
