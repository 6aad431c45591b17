/** A chunk is what the lists name: at most this many bytes, unless a single line is longer. */
export const CHUNK_BYTES = 64 * 1024;
/** A piece is what is decoded and looked through, and has a signature of its own. */
export const PIECE_BYTES = 32 * 1024;

const NEWLINE = 10;

/** Where the chunk of a blob that begins at `start` ends. */
export const chunkEnd = (blob: Buffer, start: number): number => partEnd(blob, start, CHUNK_BYTES);

/** Where the piece of a chunk that begins at `start` ends. */
export const pieceEnd = (chunk: Buffer, start: number): number => partEnd(chunk, start, PIECE_BYTES);

/**
 * Behind the last newline that is near enough. A line that is longer than a part is a part of its own, so that no line lies in two and
 * a match never crosses a border.
 */
function partEnd(bytes: Buffer, start: number, length: number): number {
  const limit = start + length;
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
