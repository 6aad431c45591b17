/**
 * Lists of ascending numbers by the gaps between them, Rice coded: a gap `g` takes, with parameter `k`, `g >> k` zero bits, a one, and the
 * `k` low bits of `g`. Bits follow each other from the lowest of each byte. As varints such lists take 28 % more.
 * Searches read them in `kernel/kernel.wat`, merges here.
 */

/** The parameter for so many numbers below `end`: it follows from them, so it is written nowhere. Best is 0.69 of the mean gap. */
export function riceParameter(count: number, end: number): number {
  return Math.max(0, Math.floor(Math.log2((0.69 * end) / count)));
}

/** Bytes that any list of numbers below `end` takes at most. */
export const riceRoom = (end: number): number => end + 8;

/** Writes gaps, given as varints, to `out`, and answers how many bytes they are. */
export function writeRice(varints: Uint8Array, parameter: number, out: Uint8Array): number {
  const mask = (1 << parameter) - 1;
  let length = 0;
  let pending = 0;
  let bits = 0;
  let gap = 0;
  let shift = 0;
  for (let at = 0; at < varints.length; at++) {
    const byte = varints[at]!;
    gap |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    for (bits += gap >>> parameter; bits >= 8; bits -= 8, pending >>>= 8) out[length++] = pending;
    pending |= (1 | ((gap & mask) << 1)) << bits;
    for (bits += 1 + parameter; bits >= 8; bits -= 8, pending >>>= 8) out[length++] = pending;
    gap = 0;
    shift = 0;
  }
  if (bits > 0) out[length++] = pending;
  return length;
}

/** Writes `count` numbers of a list to `out` and answers how many there were: fewer where the bytes end early. */
export function readRice(bytes: Uint8Array, parameter: number, count: number, out: Uint32Array): number {
  const mask = (1 << parameter) - 1;
  const length = bytes.length;
  let at = 0;
  let pending = 0;
  let bits = 0;
  let next = 0;
  for (let i = 0; i < count; i++) {
    while (pending === 0) {
      if (at >= length) return i;
      next += bits << parameter;
      pending = bytes[at++]!;
      bits = 8;
    }
    const zeros = 31 - Math.clz32(pending & -pending);
    pending >>>= zeros + 1;
    bits -= zeros + 1;
    for (; bits < parameter; bits += 8) pending |= (at < length ? bytes[at++]! : 0) << bits;
    next += (zeros << parameter) | (pending & mask);
    pending >>>= parameter;
    bits -= parameter;
    out[i] = next++;
  }
  return count;
}
