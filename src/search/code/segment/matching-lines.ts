/** Where the first match that begins at `from` or later lies; -1 when there is none. */
export type FindNext = (from: number) => number;

/** The lines in which something is found, ascending, the first being 0. Behind the last newline is no line. */
export function matchingLines(text: string, findNext: FindNext): number[] {
  const lines: number[] = [];
  let line = 0;
  let start = 0;
  for (let at = findNext(0); at >= 0 && at < text.length; at = findNext(start)) {
    let end = lineEnd(text, start);
    for (; end <= at; end = lineEnd(text, start)) {
      start = end;
      line++;
    }
    lines.push(line++);
    start = end;
    if (start >= text.length) break;
  }
  return lines;
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
