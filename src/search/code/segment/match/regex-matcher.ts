import { isAscii } from 'node:buffer';
import type { AST } from '@eslint-community/regexpp';
import { RE2JS, RE2JSException } from 're2js';
import type { Alphabet } from '../grams/code-points.ts';
import { MAX_NEEDLE, needleOf } from '../kernel/needle.ts';
import { linesWith } from '../kernel/text-lines.ts';
import { findByRegExp } from './literal-matcher.ts';
import { lineEnd, lineStart, matchingLines, NO_LINES } from './matching-lines.ts';
import { stringOf } from './piece.ts';
import type { LineMatcher } from './plan.ts';
import { tooLarge, translateRegex } from './regex-translate.ts';

/**
 * Finds the lines that an expression matches, in time that grows with the text only. RE2's automata do that; where there
 * is a text that no match is without, the lines that hold it are found first, many times as quickly.
 * @param literal that text, whatever its case; may be empty
 */
export function regexMatcher(
  { caseSensitive }: { caseSensitive: boolean },
  tree: AST.Pattern,
  literal: string,
): LineMatcher {
  const inAscii = asciiMatcher(compile(tree, caseSensitive, 'ascii'), literal);
  // Few texts have more than ASCII, and classes of all Unicode take time to spell out.
  let unicode: RE2JS | undefined;
  const findLiteral = literal === '' ? undefined : findByRegExp(new RegExp(RegExp.escape(literal), 'giu'));
  return (piece) => {
    if (piece.ascii) return inAscii(piece);
    unicode ??= compile(tree, caseSensitive, 'unicode');
    const text = caseSensitive ? stringOf(piece) : withPlainWordLetters(stringOf(piece));
    return { lines: linesByEngine(unicode, text, findLiteral?.(text)).lines, starts: null };
  };
}

/** The kernel finds the lines with the literal, where there is one; the others are not looked at. */
function asciiMatcher(engine: RE2JS, literal: string): LineMatcher {
  const bytes = Buffer.from(literal);
  // No line of ASCII holds it.
  if (!isAscii(bytes) || literal.includes('\n')) return () => NO_LINES;
  if (literal === '' || bytes.length > MAX_NEEDLE) return (piece) => linesByEngine(engine, stringOf(piece));
  const needle = needleOf(bytes, true);
  return (piece) => {
    const held = linesWith(needle, piece.text);
    if (held.lines.length === 0) return NO_LINES;
    const text = stringOf(piece);
    const lines: number[] = [];
    const starts: number[] = [];
    for (const [row, start] of held.starts.entries()) {
      if (!matchesLine(engine, text, start, lineEnd(text, start))) continue;
      lines.push(held.lines[row]!);
      starts.push(start);
    }
    return { lines, starts };
  };
}

const linesByEngine = (engine: RE2JS, text: string, next = (from: number) => from) =>
  matchingLines(text, (from) => nextMatchingLine(text, from, next, engine));

/** The beginning of the first line from `from`, which begins one, that matches; -1 when there is none. */
function nextMatchingLine(text: string, from: number, next: (from: number) => number, engine: RE2JS): number {
  for (let start = from; start < text.length; ) {
    const at = next(start);
    if (at < 0) return -1;
    start = lineStart(text, at);
    const end = lineEnd(text, start);
    if (matchesLine(engine, text, start, end)) return start;
    start = end;
  }
  return -1;
}

/** The line from `start` to `end`, with or without its newline. */
function matchesLine(engine: RE2JS, text: string, start: number, end: number): boolean {
  return engine.test(text.slice(start, text[end - 1] === '\n' ? end - 1 : end));
}

/**
 * The two characters beyond ASCII that JavaScript's `\b` takes for letters when case does not matter, as what they are
 * like. That changes nothing else: whatever `iu` compares, it compares by that likeness.
 */
function withPlainWordLetters(text: string): string {
  return text.replaceAll('\u017f', 's').replaceAll('\u212a', 'k');
}

function compile(tree: AST.Pattern, caseSensitive: boolean, alphabet: Alphabet): RE2JS {
  const source = translateRegex(tree, { caseSensitive, alphabet });
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw tooLarge(error);
  }
}
