import type { CodePattern } from '../code-index.ts';
import { canonical } from '../segment/grams/unicode-fold.ts';
import { regexNeeds } from '../segment/match/regex-needs.ts';
import { parseRegex } from '../segment/match/regex-parse.ts';

const ASCII_RUN = /[\x20-\x7e]+/g;
/** A text as short as this is in nearly every file. */
const MIN_LENGTH = 2;
/** A part does as well, and the system bounds what a process can be handed. */
const MAX_LENGTH = 1000;

/**
 * What git can look for so that no file with a hit is missed; null when it can leave nothing out. Text beyond ASCII has other
 * bytes in files of other encodings, which git does not read: then the longest run of ASCII in it stands for the whole.
 */
export function gitNeedle(pattern: CodePattern): string | null {
  const text = pattern.kind === 'regex' ? regexNeeds(parseRegex(pattern.source)).literal : pattern.text;
  const runs = text.match(ASCII_RUN) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest.length >= MIN_LENGTH) return longest.slice(0, MAX_LENGTH);
  return isBeyondWindows1252(text) ? [...text].slice(0, MAX_LENGTH).join('') : null;
}

/** Text with such a letter is in no file but those that are UTF-8. */
function isBeyondWindows1252(text: string): boolean {
  return text.isWellFormed() && [...text].some((char) => !windows1252.has(canonical(char)));
}

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
/** As `decodeText` reads what is no UTF-8; letters that are alike but for their case are one. */
const windows1252 = new Set([...new TextDecoder('windows-1252').decode(everyByte)].map(canonical));
