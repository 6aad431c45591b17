import { isAscii } from 'node:buffer';
import { type FindNext, type MatchingLines, matchingLines, NO_LINES } from './matching-lines.ts';
import { latin1Of, type Piece, stringOf } from './piece.ts';
import type { LineMatcher } from './plan.ts';

/** Letters of ASCII that are like a character beyond it: k like the Kelvin sign, s like the long s. */
const LIKE_NON_ASCII = /[ks]/i;

/** Finds the lines that hold a text. Without regard to case, what is alike is what JavaScript's `iu` says. */
export function literalMatcher({
  text,
  caseSensitive,
}: {
  text: string;
  caseSensitive: boolean;
}): LineMatcher {
  // No line holds a newline, and no text that was decoded half of a surrogate pair.
  if (text.includes('\n') || !text.isWellFormed()) return () => NO_LINES;
  if (caseSensitive || text === '') return exactMatcher(text);
  const isPlain = isAscii(Buffer.from(text));
  const ascii = findByRegExp(new RegExp(RegExp.escape(text), 'gi'));
  const unicode = findByRegExp(new RegExp(RegExp.escape(text), 'giu'));
  const asciiSuffices = isPlain && !LIKE_NON_ASCII.test(text);
  return (piece) => {
    if (isPlain && (piece.ascii || asciiSuffices)) return linesBy(ascii, latin1Of(piece));
    const found = linesBy(unicode, stringOf(piece));
    return piece.ascii ? found : { lines: found.lines, starts: null };
  };
}

function exactMatcher(text: string): LineMatcher {
  const bytes = Buffer.from(text).toString('latin1');
  return (piece: Piece) => {
    const haystack = latin1Of(piece);
    return matchingLines(haystack, (from) => haystack.indexOf(bytes, from));
  };
}

function linesBy(find: (text: string) => FindNext, text: string): MatchingLines {
  return matchingLines(text, find(text));
}

/** For a pattern with the flag g that never matches nothing: `test` makes no objects, and a match ends in its line. */
export function findByRegExp(pattern: RegExp): (text: string) => FindNext {
  return (text) => (from) => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex - 1 : -1;
  };
}
