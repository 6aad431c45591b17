import type { PathFilter } from '../code-index.ts';
import type { PathTable } from './path-table.ts';

/** Something that a path must hold. */
export interface PathTest {
  test(path: string): boolean;
  /**
   * ASCII characters that are in each path that passes, in any case: the whole table is searched for them at once. Null when there
   * are none to be sure of.
   */
  needle: string | null;
}

/** The paths of a table that pass every test, found in leaps. */
export class PathSelection {
  readonly #tests: readonly PathTest[];
  readonly #decode: (path: string) => string;
  /** The longest one, in small letters; empty when there is none. */
  readonly #needle: string;

  /** `decode` makes readable text of a path that is one character for each byte. */
  constructor(tests: readonly PathTest[], decode: (path: string) => string) {
    this.#tests = tests;
    this.#decode = decode;
    const needles = tests.map(({ needle }) => needle ?? '').sort((a, b) => b.length - a.length);
    this.#needle = needles[0]?.toLowerCase() ?? '';
  }

  /** The first path from `from` on that passes; `table.length` when there is none. */
  next(table: PathTable, from: number): number {
    if (this.#tests.length === 0) return from;
    for (let index = this.#leap(table, from); index < table.length; index = this.#leap(table, index + 1))
      if (this.passes(table.path(index))) return index;
    return table.length;
  }

  passes(path: string): boolean {
    if (this.#tests.length === 0) return true;
    const text = this.#decode(path);
    return this.#tests.every((test) => test.test(text));
  }

  #leap(table: PathTable, from: number): number {
    if (this.#needle === '' || from >= table.length) return from;
    const position = table.position(this.#needle, table.start(from));
    return position < 0 ? table.length : table.indexAt(position);
  }
}

/** The test of one `filename:`, `path:` or `extension:`. */
export function filterTest({ kind, pattern, negated }: PathFilter): PathTest {
  const glob = new Glob(kind === 'extension' ? `.${pattern}` : pattern, kind !== 'path');
  if (!negated) return glob;
  return { test: (path) => !glob.test(path), needle: null };
}

/** A literal anywhere in the path. */
export function literalTest(text: string, caseSensitive: boolean): PathTest {
  const expression = new RegExp(RegExp.escape(text), caseSensitive ? '' : 'i');
  return { test: (path) => expression.test(path), needle: longestAscii([text]) };
}

/**
 * A pattern in which `*` is any run of characters. The parts between stars are looked for one after the other, so that no
 * pattern takes longer than its length times that of the path; as one expression, stars would multiply.
 */
class Glob implements PathTest {
  readonly needle: string | null;
  readonly #parts: RegExp[];
  /** The part that must stand at the end, and nothing but the end after it. */
  readonly #last: RegExp | null;

  constructor(pattern: string, toTheEnd: boolean) {
    const parts = pattern.split('*');
    this.needle = longestAscii(parts);
    const last = toTheEnd ? parts.pop()! : null;
    this.#last = last === null ? null : new RegExp(`${RegExp.escape(last)}$`, 'gi');
    this.#parts = parts.filter((part) => part !== '').map((part) => new RegExp(RegExp.escape(part), 'gi'));
  }

  test(path: string): boolean {
    let at = 0;
    for (const part of this.#parts) {
      part.lastIndex = at;
      if (!part.test(path)) return false;
      at = part.lastIndex;
    }
    if (!this.#last) return true;
    this.#last.lastIndex = at;
    return this.#last.test(path);
  }
}

/** Letters beyond ASCII have other bytes in other cases. */
function longestAscii(parts: readonly string[]): string | null {
  const runs = parts.flatMap((part) => part.split(/[^\x01-\x7f]+/));
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '') || null;
}
