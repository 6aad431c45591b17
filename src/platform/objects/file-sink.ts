import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { ObjectTooLarge, type StoredObject } from './object-store.ts';

type Callback = (error?: Error | null) => void;

export interface FileSinkOptions {
  maxBytes?: number | undefined;
  /** Whether its end waits until the bytes have reached the disk. */
  fsync: boolean;
  /** See `PutOptions`. */
  ownsChunks?: boolean | undefined;
}

/** Taken while what came before is being written. */
const WRITE_BEHIND = 1024 * 1024;

/** A new file that counts and hashes what is written, and fails with `ObjectTooLarge` at the first byte too many. */
export class FileSink extends Writable {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #fsync: boolean;
  readonly #ownsChunks: boolean;
  readonly #hash = createHash('sha256');
  #size = 0;
  #file: FileHandle | undefined;

  constructor(
    path: string,
    { maxBytes = Number.POSITIVE_INFINITY, fsync, ownsChunks = false }: FileSinkOptions,
  ) {
    super({ highWaterMark: WRITE_BEHIND });
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#fsync = fsync;
    this.#ownsChunks = ownsChunks;
  }

  /** Only once the stream has ended. */
  result(): StoredObject {
    return { size: this.#size, sha256: this.#hash.digest('hex') };
  }

  override _construct(done: Callback): void {
    open(this.#path, 'wx', 0o600).then((file) => {
      this.#file = file;
      done();
    }, done);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Callback): void {
    this.#take([chunk]).then(() => done(), done);
  }

  override _writev(pieces: { chunk: Buffer }[], done: Callback): void {
    this.#take(pieces.map(({ chunk }) => chunk)).then(() => done(), done);
  }

  override _final(done: Callback): void {
    const synced = this.#fsync ? this.#file!.sync() : Promise.resolve();
    synced.then(() => done(), done);
  }

  override _destroy(error: Error | null, done: Callback): void {
    const closed = this.#file?.close() ?? Promise.resolve();
    closed.then(
      () => done(error),
      (failure) => done(error ?? failure),
    );
  }

  async #take(chunks: readonly Buffer[]): Promise<void> {
    this.#size += chunks.reduce((sum, { length }) => sum + length, 0);
    if (this.#size > this.#maxBytes) throw new ObjectTooLarge(this.#maxBytes);
    const written = writeAll(this.#file!, chunks);
    // here and not before: while the disk has something to do
    for (const chunk of chunks) this.#hash.update(chunk);
    await written;
    if (this.#ownsChunks) for (const chunk of chunks) release(chunk);
  }
}

/** A write that ends early meets its error (no room) at the rest. */
async function writeAll(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  let { bytesWritten } = await file.writev(chunks);
  for (const chunk of chunks) {
    if (bytesWritten < chunk.length) await file.writeFile(chunk.subarray(bytesWritten));
    bytesWritten = Math.max(0, bytesWritten - chunk.length);
  }
}

/** Not where the memory holds more than this chunk. */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
