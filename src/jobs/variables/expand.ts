import type { JobVariable } from './variable.ts';

type Known = ReadonlyMap<string, Pick<JobVariable, 'value' | 'raw'>>;

const REFERENCE =
  /\$\$|%%|\$([A-Za-z_][A-Za-z0-9_]*)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|%([A-Za-z_][A-Za-z0-9_]*)%/g;

/** Variables that name each other may go on doubling a text: what grows beyond this is cut. */
const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 20;

/**
 * The text with `$NAME`, `${NAME}` and `%NAME%` replaced, and what those values name in turn. Unknown names are nothing, a
 * variable that names itself stays as it is written, `$$` is a dollar sign.
 */
export function expandText(text: string, known: Known): string {
  return expand(text, known, []).slice(0, MAX_LENGTH);
}

/** The same, but unknown names stay for somebody who knows them, and so does `$$`. */
export function expandKnown(text: string, known: Known): string {
  return expand(text, known, [], true).slice(0, MAX_LENGTH);
}

function expand(text: string, known: Known, within: readonly string[], keepUnknown = false): string {
  let length = 0;
  return text.replace(REFERENCE, (written, ...names: (string | undefined)[]) => {
    if (written === '$$' || written === '%%') return keepUnknown ? written : written[0]!;
    const name = names.slice(0, 3).find((each) => each !== undefined)!;
    const variable = known.get(name);
    if (variable === undefined && keepUnknown) return written;
    if (variable === undefined || length > MAX_LENGTH) return '';
    if (within.includes(name) || within.length > MAX_DEPTH) return written;
    const value = variable.raw
      ? variable.value
      : expand(variable.value, known, [...within, name], keepUnknown);
    length += value.length;
    return value.slice(0, MAX_LENGTH);
  });
}

/** By key; of several with one key the last counts. */
export const byKey = (variables: readonly JobVariable[]): ReadonlyMap<string, JobVariable> =>
  new Map(variables.map((variable) => [variable.key, variable]));

/** What rules and conditions compare: every value by its key, with the names in it replaced. */
export function expandedValues(variables: readonly JobVariable[]): Map<string, string> {
  const known = byKey(variables);
  return new Map([...known].map(([key, { value, raw }]) => [key, raw ? value : expand(value, known, [key])]));
}
