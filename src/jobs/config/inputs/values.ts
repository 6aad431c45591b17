import type { Patterns } from '../expression/pattern.ts';
import { ConfigError } from '../merge/config-error.ts';
import type { Yaml, YamlMap } from '../yaml/value.ts';
import type { InputSpec } from './spec.ts';
import { fits, inputText, yamlOf } from './types.ts';

/** What a file is given for its inputs. */
export interface GivenInputs {
  values: YamlMap;
  /** Whether who begins the pipeline gives them: a few, perhaps as texts, since forms and options of pushes know nothing else. */
  ofPipeline: boolean;
}

export const NO_INPUTS: GivenInputs = { values: new Map(), ofPipeline: false };

/** More than this a pipeline does not take. */
const MAX_GIVEN = 20;
const MAX_NAMES_SHOWN = 1000;

/** The value of each input. Throws ConfigError with all that is wrong with them, in GitLab's words. */
export function inputValues(
  specs: readonly InputSpec[],
  given: GivenInputs,
  patterns: Patterns,
): ReadonlyMap<string, Yaml> {
  if (given.ofPipeline && given.values.size > MAX_GIVEN)
    throw new ConfigError(`There cannot be more than ${MAX_GIVEN} inputs`);
  refuseUnknown(specs, given.values);
  const problems: string[] = [];
  const values = new Map<string, Yaml>();
  for (const spec of specs) {
    const isGiven = given.values.has(spec.name);
    const value = isGiven ? readGiven(given, spec) : spec.default;
    const problem = problemOf(spec, value, { isGiven, patterns });
    if (problem !== null) problems.push(`\`${spec.name}\` input: ${problem}`);
    else values.set(spec.name, value ?? null);
  }
  if (problems.length > 0) throw new ConfigError(problems.join(', '));
  return values;
}

function refuseUnknown(specs: readonly InputSpec[], given: YamlMap): void {
  const known = new Set(specs.map(({ name }) => name));
  const unknown = [...given.keys()].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const names = unknown.join(', ').slice(0, MAX_NAMES_SHOWN);
  throw new ConfigError(
    `Given inputs not defined in the \`spec\` section of the included configuration file: ${names}`,
  );
}

/** A text that is the JSON of a value of the type stands for that value. */
function readGiven({ values, ofPipeline }: GivenInputs, { name, type }: InputSpec): Yaml {
  const value = values.get(name) ?? null;
  if (!ofPipeline || type === 'string' || typeof value !== 'string') return value;
  try {
    const read = yamlOf(JSON.parse(value));
    return fits(read, type) ? read : value;
  } catch {
    return value; // no JSON, so it is what it is, and told to be of the wrong type
  }
}

function problemOf(
  { type, options, regex }: InputSpec,
  value: Yaml | undefined,
  { isGiven, patterns }: { isGiven: boolean; patterns: Patterns },
): string | null {
  if (value === undefined) return 'required value has not been provided';
  if (!isGiven && value === null) return null; // `default: null`: nothing, on purpose
  const which = isGiven ? 'provided' : 'default';
  if (!fits(value, type)) return `${which} value is not ${type === 'array' ? 'an' : 'a'} ${type}`;
  if (options && !options.some((option) => inputText(option) === inputText(value)))
    return `\`${inputText(value).slice(0, 100)}\` cannot be used because it is not in the list of allowed options`;
  if (regex !== null && !patterns.matches({ source: regex, flags: '' }, inputText(value)))
    return `${which} value does not match required RegEx pattern`;
  return null;
}
