import type { CodePattern } from '../../code-index.ts';
import { literalMatcher } from './literal-matcher.ts';
import type { MatchingLines } from './matching-lines.ts';
import type { Piece } from './piece.ts';
import { regexMatcher } from './regex-matcher.ts';
import { regexNeeds } from './regex-needs.ts';
import { parseRegex } from './regex-parse.ts';
import { type Requirement, requireText } from './requirement.ts';

/** A pattern made ready to run. It belongs to the thread that compiled it: compile again rather than send it. */
export interface SearchPlan {
  readonly requirement: Requirement;
  /** The lines of a piece that match. */
  readonly matchingLines: LineMatcher;
}

export type LineMatcher = (piece: Piece) => MatchingLines;

/** @throws InvalidPattern when the expression cannot be read, or not be run in bounded time */
export function compilePlan(pattern: CodePattern): SearchPlan {
  if (pattern.kind === 'literal') {
    return { requirement: requireText(pattern.text), matchingLines: literalMatcher(pattern) };
  }
  const tree = parseRegex(pattern.source);
  const needs = regexNeeds(tree);
  return { requirement: needs.requirement, matchingLines: regexMatcher(pattern, tree, needs.literal) };
}
