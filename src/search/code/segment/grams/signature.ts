import { countBits } from '../bitmap.ts';

/**
 * A signature is a bit set that tells, without the text, which runs of five characters a piece cannot hold. Phrases of
 * common words have all their trigrams in thousands of chunks; this leaves 5 to 30 times fewer of them to decode.
 */
export const GRAM = 5;
/** For so many distinct runs: 1.5 bits for each of 1,000, 2.3 for each of 10,000. A large piece holds the trigrams of more phrases. */
const bitsFor = (runs: number): number => 0.37 * runs ** 1.2;
/** It begins with a bit for each character, and is folded to the size that its runs need. */
const TEXT_BYTES_PER_BYTE = 8;
const FOLDINGS = [1, 2, 3, 4, 6, 8, 12, 16, 24] as const;
/** Sizes are multiples of it, so that each folding leaves whole bytes. */
const STEP = 48;
/** Half a hash tells 65,536 bits apart: more would be of no use. */
const MAX_BYTES = STEP * Math.floor(65_536 / 8 / STEP);

/** Bytes of the signature of a piece of that many bytes. */
export function signatureSize(textBytes: number, folding = 1): number {
  return Math.min(MAX_BYTES, Math.ceil(textBytes / (TEXT_BYTES_PER_BYTE * STEP)) * STEP) / folding;
}

/** The signature folded to a size that fits what is in it. `full` has whole words of 32 bits. */
export function fitted(full: Uint8Array): { signature: Uint8Array; folding: number } {
  const words = new Uint32Array(full.buffer, full.byteOffset, full.length / 4);
  const size = full.length * 8;
  const set = Math.min(countBits(words), size - 1);
  // As many runs as set so many bits, some of them twice.
  const runs = -size * Math.log(1 - set / size);
  const folding = nearestFolding(size / bitsFor(runs));
  return { signature: folding === 1 ? full : folded(words, folding), folding };
}

function nearestFolding(wanted: number): number {
  let nearest: number = FOLDINGS[0];
  for (const folding of FOLDINGS) if (folding * nearest < wanted * wanted) nearest = folding;
  return nearest;
}

/** So many bits that follow each other as one, which is where `bitOfPrint` looks for them in the smaller size. */
function folded(words: Uint32Array, by: number): Uint8Array {
  const signature = new Uint8Array(words.byteLength / by);
  for (let i = 0; i < words.length; i++) {
    for (let rest = words[i]!; rest !== 0; rest &= rest - 1) {
      const bit = ((i * 32 + 31 - Math.clz32(rest & -rest)) / by) | 0;
      signature[bit >>> 3]! |= 1 << (bit & 7);
    }
  }
  return signature;
}

/** The hashes of all runs of five in a short text without a newline. */
export function printsOf(classes: Uint8Array): Uint32Array {
  const prints = new Set<number>();
  for (let i = GRAM - 1; i < classes.length; i++) {
    const older = (classes[i - 4]! << 7) | classes[i - 3]!;
    const code = (classes[i - 2]! << 14) | (classes[i - 1]! << 7) | classes[i]!;
    prints.add(printOf(older, code));
  }
  return Uint32Array.from(prints);
}

/** Whether a piece with this signature may hold them all. */
export function mayHold(signature: Uint8Array, prints: Uint32Array): boolean {
  const bits = signature.length * 8;
  for (let i = 0; i < prints.length; i++) {
    const bit = bitOfPrint(prints[i]!, bits);
    if ((signature[bit >>> 3]! & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** The hash of five classes, of 7 bits each: the first two, then the trigram. */
export function printOf(older: number, code: number): number {
  let mixed = Math.imul(code, 0x9e3779b1) ^ Math.imul(older + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** Scales the upper half of a hash to the size: a multiplication where a remainder would cost a division. */
export function bitOfPrint(print: number, bits: number): number {
  return Math.imul(print >>> 16, bits) >>> 16;
}
