import type { Expression } from './parse.ts';
import { type Patterns, type PatternText, patternIn } from './pattern.ts';

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
  const pattern = patternOf(right, lookup);
  const isFound = pattern !== null && value !== null && patterns.matches(pattern, value);
  return operator === '=~' ? isFound : !isFound;
}

/** A variable may hold the pattern, slashes and all. */
function patternOf(expression: Expression, lookup: Lookup): PatternText | null {
  if (expression.kind === 'pattern') return expression;
  if (expression.kind === 'text') return patternIn(expression.value);
  return expression.kind === 'variable' ? patternIn(lookup(expression.name) ?? '') : null;
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
