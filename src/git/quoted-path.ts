const LETTERS: Record<string, number> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/** A path as git prints it outside of -z: in quotes, with C escapes, when it holds control characters, quotes or backslashes. */
export function unquotePath(printed: string): string {
  if (!printed.startsWith('"')) return printed;
  const parts = printed.slice(1, -1).split(/(\\(?:[0-7]{3}|.))/s);
  const bytes = parts.map((part, index) =>
    // odd places hold the escapes; several of them may be the bytes of one character
    index % 2 === 0 ? Buffer.from(part) : Buffer.from([escaped(part.slice(1))]),
  );
  return Buffer.concat(bytes).toString('utf8');
}

function escaped(code: string): number {
  return code.length === 3 ? Number.parseInt(code, 8) : (LETTERS[code] ?? code.charCodeAt(0));
}
