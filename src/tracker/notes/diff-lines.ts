/** A line of a diff as it is numbered on each side; null on the side where it is not. */
export interface DiffLine {
  oldLine: number | null;
  newLine: number | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a diff that begins at its first `@@`. */
export function* diffLines(diff: string): Generator<DiffLine> {
  let oldLine = 0;
  let newLine = 0;
  for (const line of diff.split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      oldLine = Number(hunk[1]);
      newLine = Number(hunk[2]);
    } else if (line.startsWith('+')) yield { oldLine: null, newLine: newLine++ };
    else if (line.startsWith('-')) yield { oldLine: oldLine++, newLine: null };
    else if (line.startsWith(' ')) yield { oldLine: oldLine++, newLine: newLine++ };
  }
}

/** Whether the diff has exactly this line: both numbers for an unchanged one, one of them for one that was added or removed. */
export function hasLine(diff: string, wanted: DiffLine): boolean {
  for (const { oldLine, newLine } of diffLines(diff)) {
    if (oldLine === wanted.oldLine && newLine === wanted.newLine) return true;
  }
  return false;
}
