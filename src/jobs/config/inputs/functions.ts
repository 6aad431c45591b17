import { expandKnown } from '../../variables/expand.ts';
import { ConfigError } from '../merge/config-error.ts';
import type { PlanContext } from '../plan.ts';

/** What may stand behind the name of an input, after a `|`. */
export class InputFunctions {
  readonly #known: ReadonlyMap<string, { value: string; raw: boolean; masked: boolean }>;

  constructor({ written }: Pick<PlanContext, 'written'>) {
    // Names in values are left alone, as GitLab does: an open one may name one that is masked.
    const known = [...(written ?? [])].map(([key, { value, masked }]) => {
      return [key, { value, masked, raw: true }] as const;
    });
    this.#known = new Map(known);
  }

  /** Throws ConfigError in GitLab's words. */
  apply(written: string, text: string): string {
    if (written === 'expand_vars') return this.#expand(text);
    if (written === 'posix_escape') return posixEscape(text);
    const [, offset, length] = /^truncate\(\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\)$/.exec(written) ?? [];
    if (offset !== undefined) return truncate(text, Number(offset), Number(length));
    throw new ConfigError(
      `no function matching \`${written}\`: check that the function name, arguments, and types are correct`,
    );
  }

  #expand(text: string): string {
    for (const [, ...groups] of text.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_]*)%/g)) {
      const name = groups.find((group) => group !== undefined);
      if (name !== undefined && this.#known.get(name)?.masked)
        throw new ConfigError(
          'error in `expand_vars` function: variable expansion error: masked variables cannot be expanded',
        );
    }
    return expandKnown(text, this.#known);
  }
}

/** Counted in letters. */
const truncate = (text: string, offset: number, length: number): string =>
  Array.from(text)
    .slice(offset, offset + length)
    .join('');

/** So that a POSIX shell takes it for one word. */
function posixEscape(text: string): string {
  if (text === '') return "''";
  return text.replaceAll(/[^A-Za-z0-9_\-.,:+/@\n]/gu, String.raw`\$&`).replaceAll('\n', "'\n'");
}
