import { bitmapWords } from './format.ts';

/** Sets of chunks, one bit each. */
export type Bitmap = Uint32Array;

export function emptyBitmap(chunks: number): Bitmap {
  return new Uint32Array(bitmapWords(chunks));
}

/** The chunks that a list of gaps, as varints, stands for. Numbers that are too large for the bitmap are left out. */
export function bitmapOfVarints(bytes: Uint8Array, chunks: number): Bitmap {
  const bitmap = emptyBitmap(chunks);
  let next = 0;
  let gap = 0;
  let shift = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    gap |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    next += gap;
    setBit(bitmap, next++);
    gap = 0;
    shift = 0;
  }
  return bitmap;
}

/** Writes the numbers of a bitmap's bytes to `out`, ascending, and answers how many they are. */
export function numbersOfBitmap(bytes: Uint8Array, out: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    for (let byte = bytes[at]!, number = at * 8; byte !== 0; byte >>>= 1, number++) {
      if ((byte & 1) !== 0) out[count++] = number;
    }
  }
  return count;
}

export function bytesOf(bitmap: Bitmap): Uint8Array {
  return new Uint8Array(bitmap.buffer, bitmap.byteOffset, bitmap.byteLength);
}

export function setBit(bitmap: Bitmap, at: number): void {
  bitmap[at >>> 5]! |= 1 << (at & 31);
}

export function hasBit(bitmap: Bitmap, at: number): boolean {
  return (bitmap[at >>> 5]! & (1 << (at & 31))) !== 0;
}

/** Ascending. */
export function* bitsOf(bitmap: Bitmap): Generator<number> {
  for (let at = 0; at < bitmap.length; at++) {
    for (let word = bitmap[at]!; word !== 0; word &= word - 1) {
      yield at * 32 + 31 - Math.clz32(word & -word);
    }
  }
}

export function countBits(bitmap: Bitmap): number {
  let count = 0;
  for (let at = 0; at < bitmap.length; at++) count += bitsInWord(bitmap[at]!);
  return count;
}

/** Keeps in `into` only what `other` has too. */
export function intersect(into: Bitmap, other: Bitmap): void {
  for (let at = 0; at < into.length; at++) into[at]! &= other[at]!;
}

/** Adds to `into` what `other` has. */
export function unite(into: Bitmap, other: Bitmap): void {
  for (let at = 0; at < into.length; at++) into[at]! |= other[at]!;
}

/** Adds neighbours pairwise, then fours, then bytes. */
function bitsInWord(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
