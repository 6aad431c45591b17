import { Transform, type TransformCallback } from 'node:stream';
import { ApiError } from '../../platform/errors.ts';
import { isValidRefName } from '../ref-name.ts';
import { MalformedPacket, PacketSplitter } from './pkt-line.ts';

/** One ref that a push wants to move. null as `old`: it must not exist yet; null as `new`: it is to go. */
export interface PushCommand {
  ref: string;
  old: string | null;
  new: string | null;
}

export interface PushRequest {
  commands: PushCommand[];
  atomic: boolean;
  pushOptions: string[];
  /** A sentence for the client when no well-behaved git would have sent these commands. */
  problem?: string;
}

/** A mirror push of 100,000 refs has a head of 11 MB. */
const MAX_HEAD = 32 * 1024 * 1024;
const COMMAND = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/s;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Passes a receive-pack request on, byte by byte as it is, and reads its head on the way: the commands, the capabilities and
 * the push options that stand before the pack. What receive-pack later asks about is compared with what was really sent,
 * because it leaves out the commands it refuses itself, which an atomic push must not survive.
 */
export class PushHead extends Transform {
  readonly #request = Promise.withResolvers<PushRequest>();
  readonly #splitter = new PacketSplitter();
  readonly #commands: PushCommand[] = [];
  readonly #pushOptions: string[] = [];
  readonly #refs = new Set<string>();
  #capabilities: string[] = [];
  #problem: string | undefined;
  #part: 'commands' | 'options' | 'pack' = 'commands';
  #size = 0;

  constructor() {
    super({ highWaterMark: 256 * 1024 });
    this.#request.promise.catch(() => {}); // the same failure also ends the stream
  }

  /** The head, once it has passed. Rejects when the request ends before its head does. */
  request(): Promise<PushRequest> {
    return this.#request.promise;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      if (this.#part !== 'pack') this.#read(chunk);
      done(null, chunk);
    } catch (error) {
      done(error instanceof ApiError ? error : new ApiError('malformed_request', {}, { cause: error }));
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#request.reject(error ?? new Error('the push ended before its commands did'));
    done(error);
  }

  #read(chunk: Buffer): void {
    this.#size += chunk.length;
    for (const payload of this.#splitter.push(chunk)) {
      if (payload !== null) this.#add(payload);
      else if (this.#endPart() === 'pack') return;
    }
    if (this.#size > MAX_HEAD) throw new ApiError('too_large');
  }

  #add(payload: Buffer): void {
    if (this.#part === 'commands') this.#addCommand(payload);
    else this.#pushOptions.push(withoutNewline(payload.toString('utf8')));
  }

  /** Returns the part that begins now. */
  #endPart(): string {
    const optionsFollow = this.#part === 'commands' && this.#capabilities.includes('push-options');
    this.#part = optionsFollow ? 'options' : 'pack';
    if (this.#part === 'pack') this.#finish();
    return this.#part;
  }

  #addCommand(payload: Buffer): void {
    const nul = payload.indexOf(0);
    if (nul >= 0)
      this.#capabilities = payload
        .toString('latin1', nul + 1)
        .trim()
        .split(' ');
    const text = decode(nul >= 0 ? payload.subarray(0, nul) : payload);
    if (text === undefined) {
      this.#problem ??= 'Ref names must be valid UTF-8.';
    } else if (!text.startsWith('shallow ')) {
      const command = parseCommand(withoutNewline(text));
      this.#problem ??= this.#problemOf(command);
      this.#refs.add(command.ref);
      this.#commands.push(command);
    }
  }

  #problemOf({ ref, old, new: target }: PushCommand): string | undefined {
    if (!ref.startsWith('refs/') || !isValidRefName(ref))
      return `The ref name ${JSON.stringify(ref)} is not valid.`;
    if (this.#refs.has(ref)) return `The push names ${ref} twice.`;
    if (old === null && target === null) return `The ref ${ref} does not exist.`;
    return undefined;
  }

  #finish(): void {
    this.#request.resolve({
      commands: this.#commands,
      atomic: this.#capabilities.includes('atomic'),
      pushOptions: this.#pushOptions,
      ...(this.#problem !== undefined && { problem: this.#problem }),
    });
  }
}

/** `<old> <new> <ref>`, as the push protocol and the hooks write it. @throws MalformedPacket */
export function parseCommand(line: string): PushCommand {
  const match = COMMAND.exec(line);
  if (!match) throw new MalformedPacket('not a command of a push');
  return { ref: match[3]!, old: nullIfZero(match[1]!), new: nullIfZero(match[2]!) };
}

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined; // TextDecoder has no other way to say "not UTF-8"
  }
}

const withoutNewline = (text: string) => text.replace(/\n$/, '');
const nullIfZero = (oid: string) => (/^0+$/.test(oid) ? null : oid);
