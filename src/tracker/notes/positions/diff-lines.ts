/** A line of a diff as it is numbered on each side; null on the side where it is not. */
export interface DiffLine {
  oldLine: number | null;
  newLine: number | null;
}

/** With the numbers that the next line of each side has there: together they name a line of the diff, whatever it is. */
export interface CountedLine extends DiffLine {
  oldAt: number;
  newAt: number;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a diff that begins at its first `@@`. */
export function* diffLines(diff: string): Generator<CountedLine> {
  let oldAt = 0;
  let newAt = 0;
  for (const line of diff.split('\n')) {
    const hunk = HUNK.exec(line);
    const sign = line[0];
    if (hunk) {
      oldAt = Number(hunk[1]);
      newAt = Number(hunk[2]);
    } else if (sign === '+') yield { oldLine: null, newLine: newAt, oldAt, newAt: newAt++ };
    else if (sign === '-') yield { oldLine: oldAt, newLine: null, oldAt: oldAt++, newAt };
    else if (sign === ' ') yield { oldLine: oldAt, newLine: newAt, oldAt: oldAt++, newAt: newAt++ };
  }
}

/** Exactly this line: both numbers for an unchanged one, one of them for one that was added or removed. */
export function findLine(diff: string, wanted: DiffLine): CountedLine | null {
  for (const line of diffLines(diff)) {
    if (line.oldLine === wanted.oldLine && line.newLine === wanted.newLine) return line;
  }
  return null;
}

export const hasLine = (diff: string, wanted: DiffLine): boolean => findLine(diff, wanted) !== null;
