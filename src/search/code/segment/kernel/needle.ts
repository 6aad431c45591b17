import { AREA_BYTES } from './kernel.ts';

/** A text made ready to be looked for, which is not empty and has no newline. */
export interface Needle {
  /** A byte of a text is right when, its mask added, it is the value. */
  values: Uint8Array;
  masks: Uint8Array;
  /** Two of its bytes that are rare in other texts. */
  rare: readonly [number, number];
}

/** Bytes of a text that can be looked for. */
export const MAX_NEEDLE = AREA_BYTES;

/** Of code (Linux): from the commonest on. What is not here is rarer still. */
const COMMON = Buffer.from(' e_tirsanc\td0olpfmuxg,bhv;)1(*-k2=wy/>#.3"4');

/** The rarer, the higher. */
const rarity = new Uint8Array(256).fill(COMMON.length);
for (const [rank, byte] of COMMON.entries()) rarity[byte] = rank;

/** @param ignoreCase of letters of ASCII */
export function needleOf(text: Uint8Array, ignoreCase: boolean): Needle {
  const masks = text.map((byte) => (ignoreCase && isLetter(byte | CASE) ? CASE : 0));
  const values = text.map((byte, at) => byte | masks[at]!);
  return { values, masks, rare: rarest(values) };
}

/** The bit that tells a small letter from a capital one. */
const CASE = 0x20;

const isLetter = (byte: number) => byte >= 97 && byte <= 122;

function rarest(values: Uint8Array): [number, number] {
  const rank = (at: number) => rarity[values[at]! | CASE]!;
  const [first = 0, second = first] = [...values.keys()].sort((a, b) => rank(b) - rank(a));
  return [first, second];
}
