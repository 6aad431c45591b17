import { read, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { coverSecrets, reachOf } from './cover-secrets.ts';
import type { LiveFiles } from './live-files.ts';
import { OpenLogs, type WritableLog } from './open-logs.ts';

// Plain descriptors: handles of `node:fs/promises` take a third of the time of a whole piece.
const readFile = promisify(read);
const writeFile = promisify(write);

/**
 * So much goes into the system's memory in some 10 us. To hand it to a thread takes 60 us of this one, and as the database commits
 * from here too, a disk that holds up the one holds up the other.
 */
const WRITTEN_AT_ONCE = 16 * 1024;

/** Jobs whose last bytes are remembered; of others they are read again. */
const REMEMBERED = 2000;

export interface Piece {
  /** Where the sender means the log to end by now. */
  start: number;
  /** Changed where a secret is in them. */
  bytes: Buffer;
  /** From `secretBytes`. */
  secrets: readonly Buffer[];
  /** Of the whole log. What goes beyond it is left away. */
  maxBytes: number;
}

export interface Appended {
  /** `gap`: it does not begin where the log ends, nothing was written. `busy`: another piece is being written. `full`: up to the limit. */
  outcome: 'written' | 'known' | 'gap' | 'busy' | 'full';
  /** Of the log now. */
  size: number;
  /** Whether a secret was covered. */
  masked: boolean;
}

/** What this process knows of a log that it has written to; wrong as soon as another process writes, which the size tells. */
interface Known {
  size: number;
  /** Of what was sent, secrets and all; null where somebody else has written a part. */
  crc: number | null;
  /** The last bytes of the log, as they are. */
  tail: Buffer;
}

/**
 * Adds pieces to live logs. A piece is written at its place, never behind whatever is there: two processes that get the same piece,
 * because the runner has tried again, write the same bytes to the same place.
 */
export class LogAppender {
  readonly #logs: OpenLogs;
  readonly #known = new LRUCache<number, Known>({ max: REMEMBERED });
  readonly #busy = new Set<number>();

  constructor(files: LiveFiles) {
    this.#logs = new OpenLogs(files);
  }

  async append(jobId: number, piece: Piece): Promise<Appended> {
    if (this.#busy.has(jobId)) return { outcome: 'busy', size: 0, masked: false };
    this.#busy.add(jobId);
    try {
      return await this.#logs.use(jobId, (log) => this.#appendTo(log, jobId, piece));
    } finally {
      this.#busy.delete(jobId);
    }
  }

  /** CRC-32 of the log as it was sent, where this process has written all of it and it has this size. */
  checksum(jobId: number, size: number): number | null {
    const known = this.#known.get(jobId);
    return known?.size === size ? known.crc : null;
  }

  forget(jobId: number): void {
    this.#known.delete(jobId);
    this.#logs.forget(jobId);
  }

  async #appendTo({ file, size }: WritableLog, jobId: number, piece: Piece): Promise<Appended> {
    const end = piece.start + piece.bytes.length;
    if (size !== piece.start || piece.bytes.length === 0) {
      return { outcome: size === end ? 'known' : 'gap', size, masked: false };
    }
    const bytes = piece.bytes.subarray(0, Math.max(0, piece.maxBytes - size));
    const isCut = bytes.length < piece.bytes.length;
    const masked = bytes.length > 0 && (await this.#write(file, jobId, { ...piece, bytes }));
    return { outcome: isCut ? 'full' : 'written', size: size + bytes.length, masked };
  }

  /** With the end of what was there before: a secret may have come in two pieces. Returns whether one was covered. */
  async #write(file: number, jobId: number, { start, bytes, secrets }: Piece): Promise<boolean> {
    const span = reachOf(secrets);
    const reach = Math.min(start, span);
    const before = await this.#knownAt(file, jobId, start, reach);
    const crc = before.crc === null ? null : crc32(bytes, before.crc);
    // Where the two meet is looked at apart: joining them would copy every piece.
    const seam = Buffer.concat([before.tail.subarray(before.tail.length - reach), bytes.subarray(0, span)]);
    const torn = coverSecrets(seam, secrets);
    if (torn !== null) {
      seam.copy(bytes, 0, reach);
      await writeFully(file, seam.subarray(torn, reach), start - reach + torn);
    }
    const covered = coverSecrets(bytes, secrets);
    await writeFully(file, bytes, start);
    const kept = lastOf(seam.subarray(0, reach), bytes, span);
    this.#known.set(jobId, { size: start + bytes.length, crc, tail: kept });
    return torn !== null || covered !== null;
  }

  async #knownAt(file: number, jobId: number, size: number, reach: number): Promise<Known> {
    const known = this.#known.get(jobId);
    if (known?.size === size && known.tail.length >= reach) return known;
    if (size === 0) return { size, crc: 0, tail: Buffer.alloc(0) };
    const tail = Buffer.alloc(reach);
    if (reach > 0) await readFile(file, tail, 0, reach, size - reach);
    return { size, crc: null, tail };
  }
}

/** A copy of so many bytes at the end of the two. */
function lastOf(former: Buffer, latter: Buffer, length: number): Buffer {
  if (latter.length >= length) return Buffer.from(latter.subarray(latter.length - length));
  const both = Buffer.concat([former, latter]);
  return both.subarray(Math.max(0, both.length - length));
}

async function writeFully(file: number, bytes: Buffer, position: number): Promise<void> {
  const isSmall = bytes.length <= WRITTEN_AT_ONCE;
  for (let at = 0; at < bytes.length; ) {
    const rest = [bytes, at, bytes.length - at, position + at] as const;
    at += isSmall ? writeSync(file, ...rest) : (await writeFile(file, ...rest)).bytesWritten;
  }
}
