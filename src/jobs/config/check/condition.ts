import { type Expression, parseExpression, patternsOf } from '../expression/parse.ts';
import type { Yaml } from '../yaml/value.ts';
import type { At } from './at.ts';

/** A condition in the language of `rules:if`, its patterns valid; null after telling that it is none. */
export function conditionOf(at: At, name: string, value: Yaml): Expression | null {
  const expression = typeof value === 'string' ? parseExpression(value) : null;
  const isRight = expression && patternsOf(expression).every((pattern) => at.patterns.isValid(pattern));
  return isRight ? expression : at.fail(`${name} invalid expression syntax`);
}
