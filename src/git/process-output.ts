import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Readable } from 'node:stream';
import { GitFailed } from './process.ts';

/** A process that is asked to end gets this long before it is asked in the next, ruder way. */
const GRACE_MS = 5_000;
const STDERR_LIMIT = 16_384;

export interface ProcessOutputOptions {
  signal?: AbortSignal | undefined;
  /** What goes out before the first byte of the process. */
  prefix?: Buffer | undefined;
  /** The process reports its failures inside its output, so a non-zero exit after output ends the stream as usual. */
  reportsInBand?: boolean;
  /**
   * How the process is ended with the stream. `signal` for one that only reads. `input`, a closed input, for receive-pack:
   * upon a signal it empties its quarantine folder while its helpers still write there, and leaves what they add.
   */
  endBy?: 'signal' | 'input';
  /** Called once, when the process is gone. */
  onClose?: () => void;
}

/**
 * What a git process prints, as a stream that owns the process: destroying the stream ends the process, and a process that
 * fails destroys the stream with its error, so that cut output is never taken for a complete answer.
 */
export class ProcessOutput extends Readable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: ProcessOutputOptions;
  readonly #first = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  readonly #abort: () => void;
  #printed = false;
  #alive = true;
  #stderr = '';

  constructor(child: ChildProcessWithoutNullStreams, options: ProcessOutputOptions = {}) {
    super({ highWaterMark: 256 * 1024 });
    this.#child = child;
    this.#options = options;
    this.#abort = () => this.destroy(asError(options.signal?.reason));
    this.#first.promise.catch(() => {}); // whoever does not ask for the start learns of the failure from the stream
    this.on('error', () => {}); // a failure before anybody listens must not end the service
    this.#listen();
    if (options.signal?.aborted) this.#abort();
    else options.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /** Resolves when the first byte, or a successful end without one, is there; rejects with GitFailed when the process failed silently. */
  started(): Promise<void> {
    return this.#first.promise;
  }

  /** Resolves when the process is gone, whichever way it went. */
  gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** What the process said on its error output so far. */
  get stderr(): string {
    return this.#stderr;
  }

  #listen(): void {
    const { stdout, stderr } = this.#child;
    stdout.on('data', (chunk: Buffer) => {
      if (this.destroyed) return;
      if (!this.#printed) this.#begin();
      if (!this.push(chunk)) stdout.pause();
    });
    stdout.on('error', (error) => this.destroy(error));
    stderr.on('data', (chunk: Buffer) => {
      if (this.#stderr.length < STDERR_LIMIT) this.#stderr += chunk.toString('utf8');
    });
    this.#child.once('error', (error) => this.destroy(error));
    this.#child.once('close', (code) => this.#closed(code));
  }

  #begin(): void {
    this.#printed = true;
    if (this.#options.prefix) this.push(this.#options.prefix);
    this.#first.resolve();
  }

  #closed(code: number | null): void {
    this.#alive = false;
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#options.onClose?.();
    this.#gone.resolve();
    if (this.destroyed) return;
    const told = code !== null && this.#printed && this.#options.reportsInBand;
    if (code !== 0 && !told) {
      this.destroy(new GitFailed(this.#child.spawnargs.slice(1), code ?? -1, this.#stderr));
      return;
    }
    if (!this.#printed) this.#begin();
    this.push(null);
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#first.reject(error ?? new Error('the stream was closed before the process printed anything'));
    if (this.#alive) this.#end();
    done(error);
  }

  #end(): void {
    const child = this.#child;
    const ways = [() => child.stdin.destroy(), () => child.kill('SIGTERM'), () => child.kill('SIGKILL')];
    if (this.#options.endBy !== 'input') ways.splice(0, 2, () => child.kill('SIGTERM'));
    const next = () => ways.shift()?.();
    const timer = setInterval(next, GRACE_MS);
    child.once('close', () => clearInterval(timer));
    next();
    child.stdout.resume(); // a process that waits for its output to be taken would not notice
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}
