import type { RE2JS } from 're2js';

/** A pattern of a configuration, as it is written between slashes. */
export interface PatternText {
  source: string;
  flags: string;
}

/** Longer ones take too long to compile. */
const MAX_LENGTH = 2_000;
/** Repetitions multiply what a pattern compiles to: `((a{99}){99}){99}` would be a million steps. */
const MAX_REPEATS = 1_000;
/** Different ones in one configuration: compiling each takes some 25 µs in which nothing else runs. */
const MAX_PATTERNS = 2_000;

/**
 * Matches the patterns of one reading or planning with RE2, as GitLab does: time grows with the text and never explodes.
 * Keeps what it compiled.
 */
export class Patterns {
  readonly #engine: typeof RE2JS;
  readonly #compiled = new Map<string, RE2JS | null>();

  private constructor(engine: typeof RE2JS) {
    this.#engine = engine;
  }

  static async load(): Promise<Patterns> {
    const { RE2JS } = await import('re2js');
    return new Patterns(RE2JS);
  }

  isValid(pattern: PatternText): boolean {
    return this.#compile(pattern) !== null;
  }

  /** Whether the pattern is found anywhere in the text; never where it is none. */
  matches(pattern: PatternText, text: string): boolean {
    return this.#compile(pattern)?.matcher(text).find() ?? false;
  }

  #compile({ source, flags }: PatternText): RE2JS | null {
    const written = flags ? `(?${[...new Set(flags)].join('')})${source}` : source;
    const known = this.#compiled.get(written);
    if (known !== undefined) return known;
    if (this.#compiled.size >= MAX_PATTERNS) return null;
    const compiled = this.#tryCompile(written);
    this.#compiled.set(written, compiled);
    return compiled;
  }

  #tryCompile(written: string): RE2JS | null {
    if (written.length > MAX_LENGTH || repeatsOf(written) > MAX_REPEATS) return null;
    try {
      return this.#engine.compile(written);
    } catch {
      return null; // what it throws says only that this is no pattern
    }
  }
}

/** All counts multiplied, as if each held the next. */
function repeatsOf(source: string): number {
  const counts = [...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) =>
    Math.max(Number(least), Number(most || 0), 1),
  );
  return counts.reduce((product, count) => product * count, 1);
}

/** The pattern in a text such as `/^v\d+$/i`; null where it is no such text. */
export function patternIn(text: string): PatternText | null {
  const [, source, flags = ''] = /^\/(.+)\/([ismU]*)$/.exec(text) ?? [];
  return source === undefined ? null : { source, flags };
}
