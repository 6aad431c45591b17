/**
 * The one character that stands in the index for all that are alike without regard to case. JavaScript's `iu` (Unicode's
 * simple case folding) decides what is alike. That two characters which are not alike share one here (dotless i and i)
 * does no harm: the index finds candidates, and each is held against the text itself.
 */
export function canonical(char: string): string {
  const exception = EXCEPTIONS.get(char);
  if (exception !== undefined) return exception;
  const upper = single(char.toUpperCase()) ?? char;
  return single(upper.toLowerCase()) ?? upper;
}

/** Alike by simple folding, but their upper cases are several characters long and so lead to different ones. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
]);

function single(text: string): string | undefined {
  const [first, second] = text;
  return second === undefined ? first : undefined;
}

/** Letters that have a case, all of them below U+20000, where Unicode keeps alphabets. */
export function casedLetters(): string[] {
  const letters: string[] = [];
  for (let start = 0; start < 0x20000; start += 0x1000) {
    const block = Array.from({ length: 0x1000 }, (_, offset) => start + offset);
    const text = String.fromCodePoint(...block);
    for (const [letter] of text.matchAll(/[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/gu)) {
      letters.push(letter);
    }
  }
  return letters;
}

let table: ReadonlyMap<number, number> | undefined;

/** `canonical` for code points, of those that it changes; made when first asked for, in about 10 ms. */
export function canonicalCodePoints(): ReadonlyMap<number, number> {
  table ??= new Map(
    casedLetters()
      .map((letter) => [letter.codePointAt(0)!, canonical(letter).codePointAt(0)!] as const)
      .filter(([from, to]) => from !== to),
  );
  return table;
}
