import { countBits } from './bitmap.ts';

/**
 * A signature is a bit set that tells, without the text, which runs of five characters a chunk cannot hold. Phrases of
 * common words have all their trigrams in thousands of chunks; this leaves 4 to 18 times fewer of them to decode.
 */
export const GRAM = 5;
const TEXT_BYTES_PER_BYTE = 20;
/** Sizes are multiples of it, so that a signature can be halved three times. */
const STEP = 8;
/** Text that repeats itself sets few bits: half the size then tells nearly as much. */
const SPARSE = 1 / 4;
const MAX_HALVINGS = 3;
/** Half a hash tells 65,536 bits apart: more would be of no use. Only lines of over 160 kB come near. */
const MAX_BYTES = 65_536 / 8;

/** Bytes of the signature of a chunk of that many bytes. */
export function signatureSize(textBytes: number, halvings = 0): number {
  return Math.min(MAX_BYTES, Math.ceil(textBytes / (TEXT_BYTES_PER_BYTE * STEP)) * STEP) >>> halvings;
}

/** The signature halved as often as it is worth it. */
export function thinned(full: Uint8Array): { signature: Uint8Array; halvings: number } {
  // An upper bound of those that are left: bits only fall together.
  const bits = countBits(new Uint32Array(full.buffer, full.byteOffset, full.length / 4));
  let signature = full;
  let halvings = 0;
  while (halvings < MAX_HALVINGS && bits < signature.length * 8 * SPARSE) {
    signature = halved(signature);
    halvings++;
  }
  return { signature, halvings };
}

/** The bits of each pair as one, which is where `bitOfPrint` looks for them in half the size. */
function halved(signature: Uint8Array): Uint8Array {
  const half = new Uint8Array(signature.length / 2);
  for (let at = 0; at < half.length; at++) {
    let pairs = signature[at * 2]! | (signature[at * 2 + 1]! << 8);
    pairs = (pairs | (pairs >>> 1)) & 0x5555;
    pairs = (pairs | (pairs >>> 1)) & 0x3333;
    pairs = (pairs | (pairs >>> 2)) & 0x0f0f;
    half[at] = (pairs | (pairs >>> 4)) & 0xff;
  }
  return half;
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

/** Whether a chunk with this signature may hold them all. */
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
