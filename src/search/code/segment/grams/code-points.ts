import { LRUCache } from 'lru-cache';
import { casedLetters } from './unicode-fold.ts';

/** From and to, both belonging to it. */
export type CodePointRange = readonly [from: number, to: number];

/** All characters that a text can hold, or those of ASCII: a class of ASCII is known at once, others cost 5 to 25 ms. */
export type Alphabet = 'ascii' | 'unicode';

const SURROGATES = [0xd800, 0xdfff] as const;
const FIRST_ASTRAL = 0x10000;
const END = 0x110000;
const BMP_LENGTH = FIRST_ASTRAL - (SURROGATES[1] - SURROGATES[0] + 1);

const classes = new LRUCache<string, readonly CodePointRange[]>({ max: 200 });
let everything: string | undefined;
let cased: string | undefined;

/**
 * The characters that a class of an expression (`[^a-z]`, `\p{Lu}`, `.`) stands for: V8 itself is asked, so that it is what
 * JavaScript says, case and version of Unicode included.
 */
export function rangesOfClass(raw: string, flags: 'u' | 'iu', alphabet: Alphabet): readonly CodePointRange[] {
  const key = `${alphabet} ${flags} ${raw}`;
  const known = classes.get(key);
  if (known !== undefined) return known;
  const ranges: CodePointRange[] = [];
  for (const match of textOf(alphabet).matchAll(new RegExp(`(?:${raw})+`, `g${flags}`))) {
    ranges.push([codePointOf(match.index), codePointOf(match.index + match[0].length - 1)]);
  }
  classes.set(key, ranges);
  return ranges;
}

/** A character and those that are like it without regard to case. */
export function rangesOfCharacter(char: string, flags: 'u' | 'iu', alphabet: Alphabet): CodePointRange[] {
  const chars = new Set([char]);
  if (flags === 'iu') {
    cased ??= casedLetters().join('');
    for (const [like] of cased.matchAll(new RegExp(RegExp.escape(char), 'giu'))) chars.add(like);
  }
  return [...chars]
    .map((like) => like.codePointAt(0)!)
    .filter((codePoint) => alphabet === 'unicode' || codePoint < 0x80)
    .map((codePoint) => [codePoint, codePoint]);
}

function textOf(alphabet: Alphabet): string {
  if (alphabet === 'ascii') return String.fromCodePoint(...Array(0x80).keys());
  everything ??= allCharacters();
  return everything;
}

/** Every code point once but for surrogates, in order: 4 MB, made once in 30 ms. */
function allCharacters(): string {
  const blocks: string[] = [];
  for (let start = 0; start < END; start += 0x800) {
    if (start === SURROGATES[0]) continue;
    blocks.push(String.fromCodePoint(...Array.from({ length: 0x800 }, (_, offset) => start + offset)));
  }
  return blocks.join('');
}

/** The code point to which a position in the text of all characters belongs. */
function codePointOf(position: number): number {
  if (position < SURROGATES[0]) return position;
  if (position < BMP_LENGTH) return position + (FIRST_ASTRAL - BMP_LENGTH);
  return FIRST_ASTRAL + Math.floor((position - BMP_LENGTH) / 2);
}
