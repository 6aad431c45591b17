/** Where the first match that begins at `from` or later lies; -1 when there is none. */
export type FindNext = (from: number) => number;

/** Lines of a text that match, ascending, the first being 0. */
export interface MatchingLines {
  lines: number[];
  /** Where each of them begins in the bytes of the text; null when that is not known. */
  starts: number[] | null;
}

export const NO_LINES: MatchingLines = { lines: [], starts: [] };

/** The lines in which something is found; `starts` count characters of `text`. Behind the last newline is no line. */
export function matchingLines(text: string, findNext: FindNext): MatchingLines & { starts: number[] } {
  const lines: number[] = [];
  const starts: number[] = [];
  let line = 0;
  let start = 0;
  for (let at = findNext(0); at >= 0 && at < text.length; at = findNext(start)) {
    let end = lineEnd(text, start);
    for (; end <= at; end = lineEnd(text, start)) {
      start = end;
      line++;
    }
    lines.push(line++);
    starts.push(start);
    start = end;
    if (start >= text.length) break;
  }
  return { lines, starts };
}

/** Where the line that begins at `start` ends: behind its newline. */
export function lineEnd(text: string, start: number): number {
  const newline = text.indexOf('\n', start);
  return newline < 0 ? text.length : newline + 1;
}

/** Where the line begins to which the character at `at` belongs, a newline belonging to the line that it ends. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}
