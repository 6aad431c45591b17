import type { JobVariable } from './variable.ts';

type Known = ReadonlyMap<string, Pick<JobVariable, 'value' | 'raw'>>;

const REFERENCE =
  /\$\$|%%|\$([A-Za-z_][A-Za-z0-9_]*)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|%([A-Za-z_][A-Za-z0-9_]*)%/g;

/** Variables that name each other may go on doubling a text: what grows beyond this is cut. */
const MAX_LENGTH = 64 * 1024;
/** Of all that is put together for one question. */
const MAX_WORK = 4 * 1024 * 1024;
/** Variables that lead from one to the next; some thousands would be too much for the stack. */
const MAX_STEPS = 100;

/**
 * The text with `$NAME`, `${NAME}` and `%NAME%` replaced, and what those values name in turn. Unknown names are nothing, a
 * variable that names itself stays as it is written, `$$` is a dollar sign.
 */
export const expandText = (text: string, known: Known): string => new Expansion(known, false).of(text);

/** The same, but unknown names stay for somebody who knows them, and so does `$$`. */
export const expandKnown = (text: string, known: Known): string => new Expansion(known, true).of(text);

/** The names that would be replaced in the text, where they are known. */
export const namesIn = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].flatMap(([, ...groups]) => groups.find((each) => each !== undefined) ?? []);

/** By key; of several with one key the last counts. */
export const byKey = (variables: readonly JobVariable[]): ReadonlyMap<string, JobVariable> =>
  new Map(variables.map((variable) => [variable.key, variable]));

/** What rules and conditions compare: every value by its key, with the names in it replaced. */
export function expandedValues(variables: readonly JobVariable[]): Map<string, string> {
  const known = byKey(variables);
  const expansion = new Expansion(known, false);
  return new Map([...known].map(([key, variable]) => [key, expansion.valueOf(key, variable)]));
}

/**
 * What a runner is told: it expands a value once and no deeper, so that names within named values are replaced before. Names of
 * files stay, because only the runner knows their paths, and of raw variables, whose values it must not expand; so do unknown ones.
 */
export function expandNested(variables: readonly JobVariable[]): JobVariable[] {
  const known = byKey(variables.filter(({ file, raw }) => !file && !raw));
  const expansion = new Expansion(known, true);
  const expand = (variable: JobVariable) =>
    variable.file ? expansion.of(variable.value) : expansion.valueOf(variable.key, variable);
  return variables.map((variable) =>
    variable.raw || variable.value.length > MAX_LENGTH ? variable : { ...variable, value: expand(variable) },
  );
}

/** Each variable is expanded once, whatever names it, so that hostile ones cost no more than others. */
class Expansion {
  readonly #known: Known;
  readonly #keepUnknown: boolean;
  readonly #done = new Map<string, string>();
  readonly #underWay = new Set<string>();
  #work = 0;

  constructor(known: Known, keepUnknown: boolean) {
    this.#known = known;
    this.#keepUnknown = keepUnknown;
  }

  of(text: string): string {
    let length = 0;
    const expanded = text.replace(REFERENCE, (written, ...groups: (string | undefined)[]) => {
      if (written === '$$' || written === '%%') return this.#keepUnknown ? written : written[0]!;
      const name = groups.slice(0, 3).find((each) => each !== undefined)!;
      const variable = this.#known.get(name);
      if (variable === undefined) return this.#keepUnknown ? written : '';
      if (this.#underWay.has(name)) return written;
      if (this.#underWay.size >= MAX_STEPS) return this.#keepUnknown ? written : '';
      if (length >= MAX_LENGTH || this.#work >= MAX_WORK) return this.#keepUnknown ? written : '';
      const value = this.valueOf(name, variable);
      length += value.length;
      this.#work += value.length;
      return value;
    });
    return expanded.slice(0, MAX_LENGTH);
  }

  valueOf(name: string, { value, raw }: Pick<JobVariable, 'value' | 'raw'>): string {
    if (raw) return value;
    const known = this.#done.get(name);
    if (known !== undefined) return known;
    this.#underWay.add(name);
    const expanded = this.of(value);
    this.#underWay.delete(name);
    this.#done.set(name, expanded);
    return expanded;
  }
}
