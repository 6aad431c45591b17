import { NEWLINE_CLASS } from './fold.ts';

/**
 * A signature is a bit set that tells, without the text, which runs of five characters a chunk cannot hold. Phrases of
 * common words have all their trigrams in thousands of chunks; this leaves 4 to 18 times fewer of them to decode.
 */
const GRAM = 5;
const TEXT_BYTES_PER_BYTE = 20;

/** Bytes of the signature of a chunk of that many bytes. */
export function signatureSize(textBytes: number): number {
  return Math.ceil(textBytes / TEXT_BYTES_PER_BYTE);
}

/** Sets the bits of classes[0..length) in `signature`, which comes empty. */
export function sign(classes: Uint8Array, length: number, signature: Uint8Array): void {
  const bits = signature.length * 8;
  let code = 0;
  let older = 0;
  let run = 0;
  for (let i = 0; i < length; i++) {
    const next = classes[i]!;
    if (next === NEWLINE_CLASS) {
      run = 0;
      continue;
    }
    older = ((older << 7) | (code >>> 14)) & 0x3fff;
    code = ((code << 7) | next) & 0x1fffff;
    if (++run < GRAM) continue;
    const bit = bitOf(hash(older, code), bits);
    signature[bit >>> 3]! |= 1 << (bit & 7);
  }
}

/** The hashes of all runs of five in a short text without a newline. */
export function printsOf(classes: Uint8Array): Uint32Array {
  const prints = new Set<number>();
  for (let i = GRAM - 1; i < classes.length; i++) {
    const older = (classes[i - 4]! << 7) | classes[i - 3]!;
    const code = (classes[i - 2]! << 14) | (classes[i - 1]! << 7) | classes[i]!;
    prints.add(hash(older, code));
  }
  return Uint32Array.from(prints);
}

/** Whether a chunk with this signature may hold them all. */
export function mayHold(signature: Uint8Array, prints: Uint32Array): boolean {
  const bits = signature.length * 8;
  for (let i = 0; i < prints.length; i++) {
    const bit = bitOf(prints[i]!, bits);
    if ((signature[bit >>> 3]! & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function hash(older: number, code: number): number {
  let mixed = Math.imul(code, 0x9e3779b1) ^ Math.imul(older + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** Scales a hash to the size; a multiplication where a remainder would cost a division. */
function bitOf(print: number, bits: number): number {
  return Math.floor((print * bits) / 0x1_0000_0000);
}
