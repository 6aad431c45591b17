import type { Expression } from './parse.ts';
import { type Patterns, patternIn } from './pattern.ts';

export type Lookup = (variable: string) => string | undefined;

/** Whether a condition holds: a variable alone does if it is there and not empty. */
export function holds(expression: Expression, lookup: Lookup, patterns: Patterns): boolean {
  if (expression.kind === 'and') return expression.terms.every((term) => holds(term, lookup, patterns));
  if (expression.kind === 'or') return expression.terms.some((term) => holds(term, lookup, patterns));
  if (expression.kind === 'compare') return compares(expression, lookup, patterns);
  const value = textOf(expression, lookup, patterns);
  return value !== null && value !== '';
}

function compares(
  { operator, left, right }: Extract<Expression, { kind: 'compare' }>,
  lookup: Lookup,
  patterns: Patterns,
): boolean {
  const value = textOf(left, lookup, patterns);
  if (operator === '==') return value === textOf(right, lookup, patterns);
  if (operator === '!=') return value !== textOf(right, lookup, patterns);
  const isFound = isFoundIn(right, value ?? '', lookup, patterns);
  return operator === '=~' ? isFound : !isFound;
}

/**
 * Whether the pattern finds something in the text, an unknown variable counting as empty. What is no pattern is looked through
 * for the text instead, which GitLab's reference warns of and files rely on.
 */
function isFoundIn(right: Expression, text: string, lookup: Lookup, patterns: Patterns): boolean {
  if (right.kind === 'pattern') return patterns.matches(right, text);
  const written = textOf(right, lookup, patterns);
  const pattern = written === null ? null : patternIn(written);
  if (pattern) return patterns.matches(pattern, text);
  return written?.includes(text) ?? false;
}

/** Text, or null for nothing; a bracket inside a comparison counts as `true` or nothing. */
function textOf(expression: Expression, lookup: Lookup, patterns: Patterns): string | null {
  switch (expression.kind) {
    case 'variable':
      return lookup(expression.name) ?? null;
    case 'text':
      return expression.value;
    case 'pattern':
      return `/${expression.source}/${expression.flags}`;
    case 'null':
      return null;
    default:
      return holds(expression, lookup, patterns) ? 'true' : null;
  }
}
