import { fail } from '../../platform/errors.ts';

/**
 * GitLab's `search` of branches and tags, case ignored: `^a` begins with, `z$` ends with, `a*z` has anything between,
 * anything else is contained.
 */
export function matchesSearch(search: string): (name: string) => boolean {
  const start = search.startsWith('^');
  const end = search.endsWith('$') && search.length > (start ? 1 : 0);
  const wanted = search.slice(start ? 1 : 0, end ? -1 : undefined).toLowerCase();
  if (wanted.includes('*')) {
    const pieces = wanted.split('*');
    return (name) => hasPieces(name.toLowerCase(), pieces, { start, end });
  }
  return (name) => {
    const text = name.toLowerCase();
    if (start && end) return text === wanted;
    if (start) return text.startsWith(wanted);
    return end ? text.endsWith(wanted) : text.includes(wanted);
  };
}

/** Whether the pieces follow one another, the first at the start and the last at the end where that is asked. */
function hasPieces(text: string, pieces: string[], anchors: { start: boolean; end: boolean }): boolean {
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    if (isLast && anchors.end) return text.endsWith(piece) && text.length - piece.length >= at;
    const found = text.indexOf(piece, at);
    if (found < 0 || (index === 0 && anchors.start && found > 0)) return false;
    at = found + piece.length;
  }
  return true;
}

/** The engine takes time by the length of the text alone; this bounds what the pattern itself may cost. */
const MAX_PATTERN = 1000;

/** GitLab's `regex`, in RE2's syntax. Throws 400 for what is no pattern. Loaded on first use: it costs 10 ms at the start. */
export async function matchesPattern(pattern: string): Promise<(name: string) => boolean> {
  if (pattern.length > MAX_PATTERN) throw fail.params('regex is invalid');
  const { RE2JS, RE2JSException } = await import('re2js');
  try {
    const compiled = RE2JS.compile(pattern);
    return (name) => compiled.matcher(name).find();
  } catch (error) {
    if (error instanceof RE2JSException) throw fail.params('regex is invalid');
    throw error;
  }
}
