import type { Readable } from 'node:stream';

/** A longer line is taken for several: no log may make us keep all of it. */
const MAX_LINE = 64 * 1024;
const NEWLINE = 0x0a;

export interface LogLine {
  /** Counted from 1. */
  number: number;
  /** Of its first byte in the log. */
  offset: number;
  /** Without its end. */
  text: string;
}

/** The lines of a log as it streams in, one chunk of them at a time, so that whoever reads lets others run in between. */
export async function* linesOf(stream: Readable): AsyncGenerator<LogLine[]> {
  let rest: Buffer = Buffer.alloc(0);
  const at = { number: 1, offset: 0 };
  for await (const chunk of stream) {
    const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    const end = bytes.length - whole > MAX_LINE ? bytes.length : whole;
    yield cut(bytes.subarray(0, end), at);
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) yield cut(rest, at);
}

function cut(bytes: Buffer, at: { number: number; offset: number }): LogLine[] {
  const lines: LogLine[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    lines.push({ number: at.number, offset: at.offset, text: bytes.toString('utf8', start, end) });
    const next = newline < 0 ? bytes.length : newline + 1;
    at.offset += next - start;
    if (newline >= 0) at.number++;
    start = next;
  }
  return lines;
}

/** Reads a part of the log; `end` is inclusive. */
type ReadSlice = (slice: { start: number; end: number }) => Promise<Buffer>;

const STEP = 64 * 1024;

/** The lines of a log from its last to its first, a chunk of them at a time. */
export async function* linesFromTheEnd(size: number, read: ReadSlice): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - STEP);
    const bytes = Buffer.concat([await read({ start, end: end - 1 }), rest]);
    const first = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    // no end of a line in all of it, or none yet: more of the line is to come, within bounds
    const isCut = first === 0 && start > 0 && bytes.length > MAX_LINE;
    const from = isCut ? 0 : first;
    const whole = first === 0 && start > 0 && !isCut ? Buffer.alloc(0) : bytes.subarray(from);
    rest = first === 0 && start > 0 && !isCut ? bytes : bytes.subarray(0, from);
    if (whole.length > 0) yield whole.toString('utf8').split('\n').reverse();
    end = start;
  }
}
