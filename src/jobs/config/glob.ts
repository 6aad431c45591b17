/**
 * Paths as Ruby's `File.fnmatch` takes them with FNM_PATHNAME, FNM_DOTMATCH and FNM_EXTGLOB, which is what GitLab's rules use:
 * `**` followed by a slash is any number of folders, anywhere else it is `*`. Our own because the common libraries make regular
 * expressions that a pattern such as `*a*a*a*a*b` keeps busy for hours; this one needs length of pattern times length of path.
 */

/** Of all globs that are asked together. */
const MAX_ALTERNATIVES = 1_000;

/** Which paths of a commit are wanted. */
export interface PathPattern {
  /** Everything that matches lies below it; empty for the root. */
  folder: string;
  /** The one path that can match, where there is only one. */
  exact: string | null;
  matches(path: string): boolean;
}

export const globPattern = (glob: string): PathPattern => ({
  folder: /^(?:[^*?[\]{}\\]*\/)?/.exec(glob)?.[0].slice(0, -1) ?? '',
  exact: /[*?[\]{}\\]/.test(glob) ? null : glob,
  matches: globMatcher([glob]),
});

/** Whether a path matches one of the globs. */
export const globMatcher = (globs: readonly string[]): ((path: string) => boolean) => globsOf(globs).matches;

/** The same, and with how many patterns a path may be compared for it. */
export function globsOf(globs: readonly string[]): { count: number; matches: (path: string) => boolean } {
  const written: string[] = [];
  for (const glob of globs) written.push(...braces(glob, MAX_ALTERNATIVES - written.length));
  const patterns = written.map((glob) => glob.split('/').map(segmentOf));
  const matches = (path: string) => {
    const names = path.split('/');
    return patterns.some((pattern) => matchesSegments(pattern, names));
  };
  return { count: patterns.length, matches };
}

type Segment = '**' | Piece[];
type Piece = '*' | '?' | { char: string } | { set: string; not: boolean };

/** `a{b,c}` is `ab` and `ac`; what is not closed, or too much, stays as it is written. */
function braces(glob: string, most: number): string[] {
  const done: string[] = [];
  const open = [glob];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    const found = alternativesOf(text);
    if (!found || open.length + done.length + found.length > most) done.push(text);
    else open.push(...found);
  }
  return done;
}

/** The texts that the first group stands for; null where there is no group. */
function alternativesOf(text: string): string[] | null {
  let depth = 0;
  let from = 0;
  const cuts: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '{' && depth++ === 0) from = at;
    else if (char === ',' && depth === 1) cuts.push(at);
    else if (char === '}' && depth > 0 && --depth === 0) {
      const ends = [from, ...cuts, at];
      return ends
        .slice(1)
        .map((end, index) => text.slice(0, from) + text.slice(ends[index]! + 1, end) + text.slice(at + 1));
    }
  }
  return null;
}

function segmentOf(text: string, index: number, all: readonly string[]): Segment {
  if (text === '**' && index < all.length - 1) return '**';
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const set = char === '[' ? /^\[([!^]?)((?:\\.|[^\]\\])+)\]/.exec(text.slice(at)) : null;
    if (set) at += set[0].length - 1;
    if (set) pieces.push({ set: set[2]!, not: set[1] !== '' });
    else if (char === '\\' && at + 1 < text.length) pieces.push({ char: text[++at]! });
    else if (char !== '*' || pieces.at(-1) !== '*')
      pieces.push(char === '*' || char === '?' ? char : { char });
  }
  return pieces;
}

/** Both levels match greedily and, on failure, give the last star one more: no other star can do better. */
function matchesSegments(pattern: readonly Segment[], names: readonly string[]): boolean {
  return matchesWithStars(pattern, names, {
    isStar: (segment) => segment === '**',
    matches: (segment, name) => segment !== '**' && matchesName(segment, name),
  });
}

function matchesName(pieces: readonly Piece[], name: string): boolean {
  return matchesWithStars(pieces, [...name], {
    isStar: (piece) => piece === '*',
    matches: matchesChar,
  });
}

function matchesWithStars<P>(
  pattern: readonly P[],
  items: readonly string[],
  { isStar, matches }: { isStar: (part: P) => boolean; matches: (part: P, item: string) => boolean },
): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let item = 0; item < items.length; ) {
    const part = pattern[at];
    if (part !== undefined && isStar(part)) {
      star = at++;
      retry = item;
    } else if (part !== undefined && matches(part, items[item]!)) {
      at++;
      item++;
    } else if (star >= 0) {
      at = star + 1;
      item = ++retry;
    } else return false;
  }
  while (at < pattern.length && isStar(pattern[at]!)) at++;
  return at === pattern.length;
}

function matchesChar(piece: Piece, char: string): boolean {
  if (piece === '?' || piece === '*') return true;
  return 'char' in piece ? piece.char === char : isInSet(piece.set, char) !== piece.not;
}

function isInSet(set: string, char: string): boolean {
  for (let at = 0; at < set.length; at++) {
    if (set[at] === '\\') at++;
    const from = set[at]!;
    if (set[at + 1] === '-' && at + 2 < set.length) {
      if (char >= from && char <= set[at + 2]!) return true;
      at += 2;
    } else if (char === from) return true;
  }
  return false;
}
