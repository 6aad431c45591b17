/** Three classes of 7 bits. */
export const TRIGRAM_CODES = 1 << 21;

/** The distinct trigrams of a short text without a newline. */
export function trigramsOf(classes: Uint8Array): Uint32Array {
  const codes = new Set<number>();
  for (let i = 2; i < classes.length; i++) {
    codes.add((classes[i - 2]! << 14) | (classes[i - 1]! << 7) | classes[i]!);
  }
  return Uint32Array.from(codes);
}
