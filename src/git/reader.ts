import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { ObjectInfo, ObjectType } from './objects.ts';

/** An object, or what is known of it when its bytes were not asked for or are above the limit. */
export interface ObjectReply extends ObjectInfo {
  data: Buffer | null;
}

export interface ReadRequest {
  command: 'info' | 'contents';
  /** Whatever git reads as one object; a caller keeps NUL and line breaks out. */
  rev: string;
  /** Contents above this many bytes are drained, not kept. */
  maxBytes: number;
  /** Times that a process died with this request at its head. */
  deaths: number;
  resolve(reply: ObjectReply | null): void;
  reject(error: unknown): void;
}

export class ReaderDied extends Error {
  override name = 'ReaderDied';
}

export interface ReaderEvents {
  /** Its last request was answered. */
  idle(): void;
  /** It ended; `unanswered` in order, the first being the one it died with. */
  ended(unanswered: ReadRequest[], reason: Error): void;
}

const HEADER = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d{1,15})$/;
const NOTHING = /^.* (?:missing|ambiguous)$/s;
const MAX_HEADER = 16_384;

// Also how long one answer may take: a reader that says nothing for so long is stuck or not needed.
const QUIET_MS = 30_000;

/** One `git cat-file --batch-command --buffer` and the order of its questions. Questions of one turn travel together, with one flush. */
export class Reader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #events: ReaderEvents;
  readonly #pending: ReadRequest[] = [];
  readonly #timer: NodeJS.Timeout;
  #unsent: string[] = [];
  #header = '';
  #body: { reply: ObjectReply; buffer: Buffer | null; filled: number } | null = null;
  #stderr = '';
  #over = false;

  constructor(child: ChildProcessWithoutNullStreams, events: ReaderEvents) {
    this.#child = child;
    this.#events = events;
    this.#timer = setTimeout(
      () => this.end(new ReaderDied('nothing happened for a while')),
      QUIET_MS,
    ).unref();
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      if (this.#stderr.length < 2048) this.#stderr += chunk.toString('utf8');
    });
    child.once('error', (error) => this.end(error));
    child.once('close', () => this.end(new ReaderDied(`git cat-file ended: ${this.#stderr.trim()}`)));
  }

  get pending(): number {
    return this.#pending.length;
  }

  send(request: ReadRequest): void {
    if (this.#unsent.length === 0) queueMicrotask(() => this.#flush());
    this.#pending.push(request);
    this.#unsent.push(`${request.command} ${request.rev}\n`);
    this.#timer.refresh();
  }

  /** Ends the process; what it had not answered goes to `ended`. */
  end(reason: Error): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#child.kill('SIGKILL');
    this.#events.ended(this.#pending.splice(0), reason);
  }

  #flush(): void {
    const lines = this.#unsent.join('');
    this.#unsent = [];
    if (!this.#over) this.#child.stdin.write(`${lines}flush\n`);
  }

  #read(chunk: Buffer): void {
    this.#timer.refresh();
    let at = 0;
    while (at < chunk.length && !this.#over) {
      at = this.#body ? this.#readBody(chunk, at) : this.#readHeader(chunk, at);
    }
  }

  #readHeader(chunk: Buffer, from: number): number {
    const newline = chunk.indexOf(10, from);
    const to = newline < 0 ? chunk.length : newline;
    // latin1 keeps one character per byte, so a name cut in two by a chunk is not damaged
    this.#header += chunk.toString('latin1', from, to);
    if (newline < 0) {
      if (this.#header.length > MAX_HEADER) this.end(new ReaderDied('an answer without end'));
      return chunk.length;
    }
    const line = this.#header;
    this.#header = '';
    this.#answerHeader(line);
    return newline + 1;
  }

  #answerHeader(line: string): void {
    const request = this.#pending[0];
    const match = HEADER.exec(line);
    if (!request || (!match && !NOTHING.test(line))) {
      this.end(new ReaderDied('an answer out of step'));
    } else if (!match) {
      this.#answer(null);
    } else {
      const reply: ObjectReply = {
        oid: match[1]!,
        type: match[2] as ObjectType,
        size: Number(match[3]),
        data: null,
      };
      if (request.command === 'info') this.#answer(reply);
      else {
        const buffer = reply.size <= request.maxBytes ? Buffer.allocUnsafe(reply.size) : null;
        this.#body = { reply, buffer, filled: 0 };
      }
    }
  }

  #readBody(chunk: Buffer, from: number): number {
    const body = this.#body!;
    const wanted = body.reply.size - body.filled;
    const to = Math.min(chunk.length, from + wanted);
    if (body.buffer) chunk.copy(body.buffer, body.filled, from, to);
    body.filled += to - from;
    if (body.filled < body.reply.size || to === chunk.length) return to;
    this.#body = null;
    if (chunk[to] !== 10) this.end(new ReaderDied('an object without its end'));
    else this.#answer({ ...body.reply, data: body.buffer });
    return to + 1;
  }

  #answer(reply: ObjectReply | null): void {
    this.#pending.shift()!.resolve(reply);
    if (this.#pending.length === 0 && !this.#over) this.#events.idle();
  }
}
