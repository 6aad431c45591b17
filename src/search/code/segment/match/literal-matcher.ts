import { isAscii } from 'node:buffer';
import { MAX_NEEDLE, needleOf } from '../kernel/needle.ts';
import { linesWith } from '../kernel/text-lines.ts';
import { type FindNext, type MatchingLines, matchingLines, NO_LINES } from './matching-lines.ts';
import { type Piece, stringOf } from './piece.ts';
import type { LineMatcher } from './plan.ts';

/** Letters of ASCII that are like a character beyond it: k like the Kelvin sign, s like the long s. */
const LIKE_NON_ASCII = /[ks]/i;
const NON_ASCII = ['\u212a', '\u017f'].map((sign) => Buffer.from(sign));

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
  if (text === '') return (piece) => linesBy((from) => from, stringOf(piece), piece);
  const bytes = Buffer.from(text);
  const unicode = findByRegExp(new RegExp(RegExp.escape(text), caseSensitive ? 'gu' : 'giu'));
  const byUnicode = (piece: Piece) => {
    const string = stringOf(piece);
    return linesBy(unicode(string), string, piece);
  };
  if (bytes.length > MAX_NEEDLE || !(caseSensitive || isAscii(bytes))) return byUnicode;
  const needle = needleOf(bytes, !caseSensitive);
  const hasDoubles = !caseSensitive && LIKE_NON_ASCII.test(text);
  return (piece) => {
    if (hasDoubles && !piece.ascii && NON_ASCII.some((sign) => piece.text.includes(sign)))
      return byUnicode(piece);
    return linesWith(needle, piece.text);
  };
}

function linesBy(find: FindNext, text: string, { ascii }: Piece): MatchingLines {
  const { lines, starts } = matchingLines(text, find);
  return { lines, starts: ascii ? starts : null };
}

/** For a pattern with the flag g that never matches nothing: `test` makes no objects, and a match ends in its line. */
export function findByRegExp(pattern: RegExp): (text: string) => FindNext {
  return (text) => (from) => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex - 1 : -1;
  };
}
