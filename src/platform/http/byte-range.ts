import { ApiError } from '../errors.ts';

/** Bytes from `start` up to and including `end`. */
export interface Slice {
  start: number;
  end: number;
}

/**
 * What `Range: bytes=…` asks of a body of `size` bytes: null for all of it, which is also the answer to other units, to several ranges at
 * once and to what is no range (RFC 9110 lets a server ignore any of them). Throws 416 with the size where nothing of it is there.
 */
export function rangeOf(header: string | undefined, size: number): Slice | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(' ', '') ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return null;
  const [, first = '', last = ''] = match;
  if (first === '') return lastBytes(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) throw unsatisfiable(size);
  return { start, end };
}

function lastBytes(count: number, size: number): Slice {
  if (count === 0 || size === 0) throw unsatisfiable(size);
  return { start: Math.max(0, size - count), end: size - 1 };
}

const unsatisfiable = (size: number) =>
  new ApiError('range_not_satisfiable', {}, { headers: { 'content-range': `bytes */${size}` } });

/** Headers and status of a body that is sent whole or in part. */
export function rangeHead(
  slice: Slice | null,
  size: number,
): { status: number; headers: Record<string, string> } {
  if (slice === null) {
    return { status: 200, headers: { 'accept-ranges': 'bytes', 'content-length': String(size) } };
  }
  const { start, end } = slice;
  return {
    status: 206,
    headers: {
      'accept-ranges': 'bytes',
      'content-range': `bytes ${start}-${end}/${size}`,
      'content-length': String(end - start + 1),
    },
  };
}
