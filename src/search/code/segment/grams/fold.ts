import { isAscii } from 'node:buffer';
import { canonicalCodePoints } from './unicode-fold.ts';

/**
 * The index does not keep bytes but 128 classes of them, so that three fit into 21 bits: letters without their case,
 * controls as one, the bytes of what is not ASCII hashed into what is left. Class 0 is the newline, which no trigram
 * crosses.
 */
export const NEWLINE_CLASS = 0;

const CLASS_OF = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(256).fill(1);
  let next = 2;
  for (let byte = 0x20; byte < 0x7f; byte++) {
    if (byte < 0x41 || byte > 0x5a) table[byte] = next++;
  }
  for (let upper = 0x41; upper <= 0x5a; upper++) table[upper] = table[upper + 0x20]!;
  for (let high = 0x80; high <= 0xff; high++) table[high] = next + ((high - 0x80) % (128 - next));
  table[0x0a] = NEWLINE_CLASS;
  return table;
}

/** Room that `foldInto` needs: a folded letter may take three bytes where two stood. */
export function foldedSize(bytes: number): number {
  return bytes + (bytes >>> 1) + 4;
}

/** Writes the classes of UTF-8 text to `out` and answers how many they are. */
export function foldInto(bytes: Uint8Array, ascii: boolean, out: Uint8Array): number {
  if (!ascii) return foldUnicode(bytes, out);
  for (let i = 0; i < bytes.length; i++) out[i] = CLASS_OF[bytes[i]!]!;
  return bytes.length;
}

/** The classes of a text. */
export function foldText(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const out = new Uint8Array(foldedSize(bytes.length));
  return out.subarray(0, foldInto(bytes, isAscii(bytes), out));
}

function foldUnicode(bytes: Uint8Array, out: Uint8Array): number {
  const canonical = canonicalCodePoints();
  let length = 0;
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i]!;
    if (lead < 0x80) {
      out[length++] = CLASS_OF[lead]!;
      i++;
      continue;
    }
    const width = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const codePoint = codePointAt(bytes, i, width);
    length = putCodePoint(canonical.get(codePoint) ?? codePoint, out, length);
    i += width;
  }
  return length;
}

function codePointAt(bytes: Uint8Array, at: number, width: number): number {
  let codePoint = bytes[at]! & (0x7f >>> width);
  for (let i = 1; i < width; i++) codePoint = (codePoint << 6) | (bytes[at + i]! & 0x3f);
  return codePoint;
}

function putCodePoint(codePoint: number, out: Uint8Array, at: number): number {
  if (codePoint < 0x80) {
    out[at] = CLASS_OF[codePoint]!;
    return at + 1;
  }
  let end = at;
  if (codePoint < 0x800) {
    out[end++] = CLASS_OF[0xc0 | (codePoint >>> 6)]!;
  } else if (codePoint < 0x10000) {
    out[end++] = CLASS_OF[0xe0 | (codePoint >>> 12)]!;
    out[end++] = CLASS_OF[0x80 | ((codePoint >>> 6) & 0x3f)]!;
  } else {
    out[end++] = CLASS_OF[0xf0 | (codePoint >>> 18)]!;
    out[end++] = CLASS_OF[0x80 | ((codePoint >>> 12) & 0x3f)]!;
    out[end++] = CLASS_OF[0x80 | ((codePoint >>> 6) & 0x3f)]!;
  }
  out[end++] = CLASS_OF[0x80 | (codePoint & 0x3f)]!;
  return end;
}
