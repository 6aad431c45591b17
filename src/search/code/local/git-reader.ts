import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Readable } from 'node:stream';
import { gitEnvironment } from '../../../git/environment.ts';
import type { Lanes } from '../../../git/lanes.ts';
import { GitFailed, startGit } from '../../../git/process.ts';

/**
 * Git for worker threads, which cannot share the service's runner: each thread has one process at a time. The streams of a
 * build are a gigabyte, so they end in the thread that works on them and never pass through the main one.
 */

/** The list of a tree or of a difference: some hundred bytes a path. */
const MAX_LIST_BYTES = 1024 * 1024 * 1024;
const STDERR_LIMIT = 2_048;

/** Where git reads, and the thread's own way to start it quickly, if it has one. */
export interface GitSource {
  repository: string;
  lanes?: Lanes | undefined;
}

/** A blob as git has it, or the beginning of one that is larger than was allowed. */
export interface ReadBlob {
  oid: string;
  data: Buffer;
  whole: boolean;
}

/** What a command prints. Throws GitFailed, and the signal's reason. */
export async function gitList(source: GitSource, args: string[], signal?: AbortSignal): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of gitOutput(source, args, '', signal)) {
    size += part.length;
    if (size > MAX_LIST_BYTES) throw new Error(`git ${args[0]} answered over ${MAX_LIST_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The blobs with these ids, in their order. A missing one throws. `data` is valid until the next one is asked for. */
export async function* readBlobs(
  source: GitSource,
  oids: readonly string[],
  options: { maxBytes: number; headBytes: number; signal?: AbortSignal | undefined },
): AsyncGenerator<ReadBlob> {
  const args = ['cat-file', '--batch', '--buffer'];
  const input = oids.map((oid) => `${oid}\n`).join('');
  const output = gitOutput(source, args, input, options.signal);
  try {
    const bytes = new ByteSource(output);
    for (const oid of oids) {
      const [, type, length] = (await bytes.line()).split(' ');
      const size = Number(length);
      if (type !== 'blob' || !Number.isSafeInteger(size))
        throw new Error(`no blob ${oid} in ${source.repository}`);
      const taken = size > options.maxBytes ? Math.min(size, options.headBytes) : size;
      yield { oid, data: await bytes.take(taken), whole: taken === size };
      await bytes.skip(size - taken + 1);
    }
  } finally {
    await output.return(undefined); // who has had enough ends the process
  }
}

/** What a command prints, as it comes. */
export async function* gitOutput(
  source: GitSource,
  args: string[],
  input: string,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  signal?.throwIfAborted();
  const git = start(source, args, input);
  const end = () => git.end();
  signal?.addEventListener('abort', end, { once: true });
  git.ended.catch(() => {}); // looked at below, unless the reader has had enough before
  try {
    yield* git.output;
    const { code, stderr } = await git.ended;
    signal?.throwIfAborted();
    if (code !== 0) throw new GitFailed(args, code, stderr);
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

interface Started {
  output: AsyncIterable<Buffer>;
  ended: Promise<{ code: number; stderr: string }>;
  /** Nothing where it has ended. */
  end: () => void;
}

function start({ repository, lanes }: GitSource, args: string[], input: string): Started {
  return (lanes && startInLane(lanes, repository, args, input)) ?? startAlone(repository, args, input);
}

function startInLane(lanes: Lanes, repository: string, args: string[], input: string): Started | null {
  let stderr = '';
  const output = new Readable({ read: () => running?.flow(true) });
  const running = lanes.run({
    args,
    cwd: repository,
    env: gitEnvironment({}, { GIT_DIR: repository }),
    input,
    onOut(chunk) {
      // Who has had enough must not hold up the end of the process.
      if (!output.destroyed && !output.push(chunk)) running?.flow(false);
    },
    onError(chunk) {
      if (stderr.length < STDERR_LIMIT) stderr += chunk.toString('utf8');
    },
  });
  if (!running) return null;
  const ended = running.ended.then(
    (code) => {
      output.push(null);
      return { code, stderr };
    },
    (error) => {
      output.destroy(error);
      throw error;
    },
  );
  return { output, ended, end: () => running.kill() };
}

function startAlone(repository: string, args: string[], input: string): Started {
  const child = startGit(args, { cwd: repository, env: { GIT_DIR: repository } });
  child.stdin.end(input);
  return { output: child.stdout, ended: exitOf(child), end: () => child.kill('SIGKILL') };
}

function exitOf(child: ChildProcessWithoutNullStreams): Promise<{ code: number; stderr: string }> {
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_LIMIT) stderr += chunk.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, stderr }));
  });
}

/** Blobs up to this size share one buffer: a new one for each would be collected a hundred times in a gigabyte. */
const SHARED_BYTES = 1024 * 1024;

/** Lines and counted bytes out of a stream of chunks. What lies within one chunk is not copied. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #shared: Buffer | undefined;
  #at = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    let text = '';
    for (;;) {
      const end = this.#chunk.indexOf(10, this.#at);
      if (end >= 0) {
        text += this.#chunk.toString('latin1', this.#at, end);
        this.#at = end + 1;
        return text;
      }
      text += this.#chunk.toString('latin1', this.#at);
      await this.#next();
    }
  }

  /** Good until the next call. */
  async take(size: number): Promise<Buffer> {
    if (this.#at + size <= this.#chunk.length) {
      const inside = this.#chunk.subarray(this.#at, this.#at + size);
      this.#at += size;
      return inside;
    }
    const whole = this.#room(size);
    for (let filled = 0; filled < size; ) {
      if (this.#at === this.#chunk.length) await this.#next();
      const copied = this.#chunk.copy(whole, filled, this.#at);
      filled += copied;
      this.#at += copied;
    }
    return whole;
  }

  #room(size: number): Buffer {
    if (size > SHARED_BYTES) return Buffer.allocUnsafeSlow(size);
    this.#shared ??= Buffer.allocUnsafeSlow(SHARED_BYTES);
    return this.#shared.subarray(0, size);
  }

  async skip(size: number): Promise<void> {
    let left = size;
    while (left > this.#chunk.length - this.#at) {
      left -= this.#chunk.length - this.#at;
      await this.#next();
    }
    this.#at += left;
  }

  async #next(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done) throw new Error('git ended in the middle of an answer');
    this.#chunk = value;
    this.#at = 0;
  }
}
