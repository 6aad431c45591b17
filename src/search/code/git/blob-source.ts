import { gitOutput } from './output.ts';

const NEWLINE = 0x0a;

/** The bytes of many blobs by one git process. What is over the limit comes as its first bytes only, and is said to be cut. */
export async function* readBlobs(
  repository: string,
  oids: readonly string[],
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): AsyncGenerator<{ data: Buffer; cut: boolean }> {
  const input = oids.map((oid) => `${oid}\n`).join('');
  const source = new ByteSource(
    gitOutput(repository, ['cat-file', '--batch', '--buffer'], { input, signal }),
  );
  try {
    for (const oid of oids) {
      const [, type, length] = (await source.line()).split(' ');
      const size = Number(length);
      if (type !== 'blob' || !Number.isSafeInteger(size)) throw new Error(`no blob ${oid} in ${repository}`);
      const data = await source.take(Math.min(size, maxBytes));
      await source.skip(size - data.length + 1);
      yield { data, cut: data.length < size };
    }
  } finally {
    await source.end();
  }
}

/** Bytes of a stream by number or up to a line's end. */
class ByteSource {
  readonly #chunks: AsyncGenerator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncGenerator<Buffer>) {
    this.#chunks = chunks;
  }

  async line(): Promise<string> {
    let line = '';
    for (;;) {
      const at = this.#chunk.indexOf(NEWLINE);
      line += this.#chunk.toString('latin1', 0, at < 0 ? undefined : at);
      if (at >= 0) {
        this.#chunk = this.#chunk.subarray(at + 1);
        return line;
      }
      await this.#more();
    }
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = size; left > 0; left -= parts.at(-1)!.length) {
      if (this.#chunk.length === 0) await this.#more();
      parts.push(this.#chunk.subarray(0, left));
      this.#chunk = this.#chunk.subarray(left);
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  async skip(size: number): Promise<void> {
    for (let left = size; left > 0; ) {
      if (this.#chunk.length === 0) await this.#more();
      const skipped = Math.min(left, this.#chunk.length);
      this.#chunk = this.#chunk.subarray(skipped);
      left -= skipped;
    }
  }

  /** Ends the process behind it. */
  async end(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done) throw new Error('git ended in the middle of a blob');
    this.#chunk = value;
  }
}
