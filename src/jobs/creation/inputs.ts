import { fail } from '../../platform/errors.ts';
import { yamlOf } from '../config/inputs/types.ts';
import { Measure, type Yaml, type YamlMap, YamlTooBig } from '../config/yaml/value.ts';

/** Of the parameter by which a caller gives them. */
export const INPUTS = 'Values for `spec:inputs` of the configuration, by name; lists may come as JSON.';

/** What a bridge gives for the inputs of a file. */
export const inputsOf = (given: Record<string, unknown>): YamlMap => yamlOf(given) as YamlMap;

/** What a caller gives for them. Throws 400 for what no configuration could hold. */
export function givenInputs(given: Record<string, unknown> | null | undefined): YamlMap {
  try {
    const values = inputsOf(given ?? {});
    new Measure().add(values);
    if (!hasNul(values)) return values;
  } catch (error) {
    if (error instanceof YamlTooBig) throw fail.params('inputs is invalid');
    throw error;
  }
  throw fail.params('inputs is invalid');
}

/** Databases keep no text with one. */
function hasNul(value: Yaml): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (value instanceof Map) return [...value].some(([key, each]) => hasNul(key) || hasNul(each));
  return Array.isArray(value) && value.some(hasNul);
}
