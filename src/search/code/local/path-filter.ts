import type { PathFilter } from '../code-index.ts';
import type { PathTable } from './path-table.ts';

/** Something that a path must hold. */
export interface PathTest {
  test(path: string): boolean;
  /**
   * ASCII letters that are in each path that passes, in any case: the whole table is searched for them at once. Null when there
   * are none to be sure of.
   */
  needle: string | null;
}

/** The paths of a table that pass every test, found in leaps. */
export class PathSelection {
  readonly #tests: readonly PathTest[];
  readonly #decode: (path: string) => string;
  /** Of the longest needle. */
  readonly #scan: RegExp | null;

  /** `decode` makes readable text of a path that is one character for each byte. */
  constructor(tests: readonly PathTest[], decode: (path: string) => string) {
    this.#tests = tests;
    this.#decode = decode;
    const needles = tests.map(({ needle }) => needle ?? '').sort((a, b) => b.length - a.length);
    this.#scan = needles[0] ? new RegExp(escapeRegExp(needles[0]), 'gi') : null;
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
    if (!this.#scan || from >= table.length) return from;
    this.#scan.lastIndex = table.start(from);
    const match = this.#scan.exec(table.text);
    return match ? table.indexAt(match.index) : table.length;
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
  const expression = new RegExp(escapeRegExp(text), caseSensitive ? '' : 'i');
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
    this.#last = last === null ? null : new RegExp(`${escapeRegExp(last)}$`, 'gi');
    this.#parts = parts.filter((part) => part !== '').map((part) => new RegExp(escapeRegExp(part), 'gi'));
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

export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
