import type { CodePattern } from '../code-index.ts';

/** A pattern made ready to run. It belongs to the thread that compiled it; compile again rather than send it. */
export interface SearchPlan {
  readonly pattern: CodePattern;
}

/** @throws InvalidPattern when the expression cannot be read, or not be run in bounded time */
export function compilePlan(pattern: CodePattern): SearchPlan {
  return { pattern };
}
