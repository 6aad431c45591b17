import type { AST } from '@eslint-community/regexpp';
import { RE2JS, RE2JSException } from 're2js';
import type { Alphabet } from '../grams/code-points.ts';
import { findByRegExp } from './literal-matcher.ts';
import { lineEnd, lineStart, matchingLines } from './matching-lines.ts';
import { stringOf } from './piece.ts';
import type { LineMatcher } from './plan.ts';
import { tooLarge, translateRegex } from './regex-translate.ts';

/**
 * Finds the lines that an expression matches, in time that grows with the text only. RE2's automata do that; where there
 * is a text that no match is without, V8 first finds the lines that hold it, ten times as quickly.
 * @param literal that text, whatever its case; may be empty
 */
export function regexMatcher(
  { caseSensitive }: { caseSensitive: boolean },
  tree: AST.Pattern,
  literal: string,
): LineMatcher {
  const ascii = compile(tree, caseSensitive, 'ascii');
  // Few texts have more than ASCII, and classes of all Unicode take time to spell out.
  let unicode: RE2JS | undefined;
  const findLiteral = literal === '' ? undefined : literalFinder(literal);
  return (piece) => {
    unicode ??= piece.ascii ? undefined : compile(tree, caseSensitive, 'unicode');
    const engine = piece.ascii ? ascii : unicode!;
    const text = piece.ascii || caseSensitive ? stringOf(piece) : withPlainWordLetters(stringOf(piece));
    const next = findLiteral?.(text, piece.ascii) ?? ((from: number) => from);
    const found = matchingLines(text, (from) => nextMatchingLine(text, from, next, engine));
    return piece.ascii ? found : { lines: found.lines, starts: null };
  };
}

/** The beginning of the first line from `from`, which begins one, that matches; -1 when there is none. */
function nextMatchingLine(text: string, from: number, next: (from: number) => number, engine: RE2JS): number {
  for (let start = from; start < text.length; ) {
    const at = next(start);
    if (at < 0) return -1;
    start = lineStart(text, at);
    const end = lineEnd(text, start);
    if (engine.test(text.slice(start, text[end - 1] === '\n' ? end - 1 : end))) return start;
    start = end;
  }
  return -1;
}

function literalFinder(literal: string) {
  const ascii = findByRegExp(new RegExp(RegExp.escape(literal), 'gi'));
  const unicode = findByRegExp(new RegExp(RegExp.escape(literal), 'giu'));
  return (text: string, isAscii: boolean) => (isAscii ? ascii(text) : unicode(text));
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
