import { type AST, RegExpParser, type RegExpSyntaxError } from '@eslint-community/regexpp';
import { InvalidPattern } from '../../code-index.ts';

/** Bounds what a caller can make us compile; the parser calls itself for each parenthesis. */
const MAX_SOURCE = 1000;

const parser = new RegExpParser({ ecmaVersion: 2025 });

/** @throws InvalidPattern unless it is an expression of JavaScript with flag u */
export function parseRegex(source: string): AST.Pattern {
  if (source.length > MAX_SOURCE) {
    throw new InvalidPattern(`Regular expression is longer than ${MAX_SOURCE} characters`);
  }
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true, unicodeSets: false });
  } catch (error) {
    if (!isSyntaxError(error)) throw error;
    throw new InvalidPattern(error.message, { cause: error });
  }
}

/** By shape: the package does not export the class itself. */
function isSyntaxError(error: unknown): error is RegExpSyntaxError {
  return error instanceof SyntaxError && 'index' in error;
}
