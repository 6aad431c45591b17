import { buffer } from 'node:stream/consumers';
import type { Db } from '../../platform/db/tables.ts';
import { findJobById } from '../processing/store.ts';
import { isComplete } from '../states.ts';
import type { Traces } from './traces.ts';

/** One message of the stream carries at most so much. */
const STEP = 64 * 1024;
/** What another process has written is seen so late at most. */
const LOOK_MS = 1000;
/** Something is sent at least so often, so that what lies between keeps the connection open. */
const ALIVE_LOOKS = 15;

export interface Following {
  jobId: number;
  /** Where to begin, in bytes. */
  from: number;
  signal: AbortSignal;
}

/**
 * The log as server-sent events until the job has ended: `log` with a JSON string of what is new and the offset behind it as `id`,
 * `reset` where the log begins anew, `end` with the job's status. A client that was cut off goes on with `Last-Event-ID`.
 */
export async function* followLog(
  { db, traces }: { db: Db; traces: Traces },
  { jobId, from, signal }: Following,
): AsyncGenerator<string> {
  let offset = from;
  let idle = 0;
  while (!signal.aborted) {
    // Asked before the log is read: what is written after the job has ended would be missed otherwise.
    const job = await findJobById(db, jobId);
    if (!job || job.erased_at !== null) return;
    const grown = traces.watchers.next(jobId, LOOK_MS, signal);
    const log = await traces.open(job);
    const size = log?.size ?? 0;
    if (size < offset) {
      offset = 0;
      yield message('reset', '', 0);
    }
    const bytes =
      log && size > offset ? await log.read({ start: offset, end: Math.min(size, offset + STEP) - 1 }) : null;
    if (bytes) {
      const piece = await buffer(bytes);
      const length = isComplete(job.status) ? piece.length : wholeCharacters(piece);
      offset += length;
      idle = 0;
      if (length > 0) yield message('log', piece.toString('utf8', 0, length), offset);
      if (offset < size && length > 0) continue;
    } else await log?.close();
    if (isComplete(job.status)) {
      yield message('end', { status: job.status }, offset);
      return;
    }
    if (++idle % ALIVE_LOOKS === 0) yield ': waiting\n\n';
    await grown;
  }
}

const message = (event: string, data: unknown, id: number): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

/** How many bytes end with a whole character: the rest of one that was cut comes with the next piece. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
