import type { CodePattern } from '../code-index.ts';
import { literalTest } from '../local/path-filter.ts';
import { compilePlan } from '../segment/plan.ts';

/** Whether the pattern is in a path. */
export function pathTest(pattern: CodePattern): (path: string) => boolean {
  if (pattern.kind === 'literal') {
    const { text, caseSensitive } = pattern;
    const literal = literalTest(text, caseSensitive);
    return (path) => literal.test(path);
  }
  const { matchingLines } = compilePlan(pattern);
  return (path) => matchingLines({ text: Buffer.from(path), ascii: false }).length > 0;
}
