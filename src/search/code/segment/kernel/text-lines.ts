import { AREA_BYTES, kernel, MASKS, NEEDLE, ROOM } from './kernel.ts';
import type { Needle } from './needle.ts';

const ROW_NUMBERS = 3;
const MAX_ROWS = Math.floor(AREA_BYTES / 4 / ROW_NUMBERS);

/** The needle whose bytes are in the memory. */
let current: Needle | undefined;

/** The lines of a text that hold the needle, the first being 0, and where they begin. */
export function linesWith(needle: Needle, text: Uint8Array): { lines: number[]; starts: number[] } {
  const lines: number[] = [];
  const starts: number[] = [];
  const { loops, rows } = ready(needle, text);
  const [i, j] = needle.rare;
  const end = ROOM + text.length;
  let line = 0;
  let start = ROOM;
  for (let count = MAX_ROWS; count === MAX_ROWS; ) {
    count = loops.scan(start, end, line, needle.values.length, i, j, MAX_ROWS);
    for (let row = 0; row < count * ROW_NUMBERS; row += ROW_NUMBERS) {
      line = rows[row]! + 1;
      start = rows[row + 2]!;
      lines.push(line - 1);
      starts.push(rows[row + 1]! - ROOM);
    }
  }
  return { lines, starts };
}

function ready(needle: Needle, text: Uint8Array) {
  const opened = kernel();
  opened.reserve(text.length);
  opened.bytes.set(text, ROOM);
  if (current !== needle) {
    opened.bytes.set(needle.values, NEEDLE);
    opened.bytes.set(needle.masks, MASKS);
    current = needle;
  }
  return opened;
}
