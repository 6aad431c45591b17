/** A chunk is what the index finds: at most this many bytes, unless a single line is longer. */
export const CHUNK_BYTES = 64 * 1024;

const NEWLINE = 10;

/**
 * Where the chunk that begins at `start` ends: behind the last newline that is near enough. A line that is longer than a
 * chunk is a chunk of its own, so that no line lies in two and a match never crosses a border.
 */
export function chunkEnd(bytes: Buffer, start: number): number {
  const limit = start + CHUNK_BYTES;
  if (limit >= bytes.length) return bytes.length;
  const before = bytes.lastIndexOf(NEWLINE, limit - 1);
  if (before >= start) return before + 1;
  const after = bytes.indexOf(NEWLINE, limit);
  return after < 0 ? bytes.length : after + 1;
}

/** Lines that end in these bytes: a last one without its newline is not counted. */
export function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
