import type { PathPattern } from '../glob.ts';

/**
 * Paths of `include: local`, which are no globs as those of rules are: `*` is anything within one name, `**` anything at all,
 * slashes among it. `ci/**.yml` is every file below `ci`, and `ci/**` followed by `/*.yml` only those in its folders.
 */
export function wildcardPattern(text: string): PathPattern {
  const parts = text.match(/\*\*|./gs) ?? [];
  return {
    folder: /^(?:[^*]*\/)?/.exec(text)?.[0].slice(0, -1) ?? '',
    exact: null,
    matches: (path) => reachesEnd(parts, path),
  };
}

/** Walks all ways through the pattern at once: length of pattern times length of path, whatever is in them. */
function reachesEnd(parts: readonly string[], path: string): boolean {
  let at = afterStars(parts, new Set([0]));
  for (let index = 0; index < path.length && at.size > 0; index++) {
    const next = new Set<number>();
    for (const position of at) {
      const part = parts[position];
      if (part === '**' || (part === '*' && path[index] !== '/')) next.add(position);
      else if (part === path[index]) next.add(position + 1);
    }
    at = afterStars(parts, next);
  }
  return at.has(parts.length);
}

/** Stars may be nothing: whoever is at one is also behind it. */
function afterStars(parts: readonly string[], at: Set<number>): Set<number> {
  // a set is walked in the order of its making, what is added on the way among it
  for (const position of at) if (parts[position]?.startsWith('*')) at.add(position + 1);
  return at;
}
