import { expandKnown, namesIn } from '../../variables/expand.ts';
import { ConfigError } from '../merge/config-error.ts';
import type { PlanContext } from '../plan.ts';

/** What may stand behind the name of an input, after a `|`. */
export class InputFunctions {
  readonly #context: Pick<PlanContext, 'written'>;
  #variables: ReadonlyMap<string, { value: string; raw: boolean; masked: boolean }> | null = null;

  constructor(context: Pick<PlanContext, 'written'>) {
    this.#context = context;
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
    const known = this.#known();
    if (namesIn(text).some((name) => known.get(name)?.masked))
      throw new ConfigError(
        'error in `expand_vars` function: variable expansion error: masked variables cannot be expanded',
      );
    return expandKnown(text, known);
  }

  /** Names in values are left alone, as GitLab does: an open one may name one that is masked. Most configurations never ask. */
  #known() {
    const raw = ([key, { value, masked }]: [string, { value: string; masked: boolean }]) =>
      [key, { value, masked, raw: true }] as const;
    this.#variables ??= new Map([...(this.#context.written ?? [])].map(raw));
    return this.#variables;
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
