import type { Patterns } from '../expression/pattern.ts';
import { ConfigError } from '../merge/config-error.ts';
import { isList, isMap, scalarText, type Yaml, type YamlMap } from '../yaml/value.ts';
import { fits, INPUT_TYPES, type InputType } from './types.ts';

/** One of `spec:inputs`. */
export interface InputSpec {
  name: string;
  type: InputType;
  /** undefined: a value must be given. */
  default: Yaml | undefined;
  options: readonly Yaml[] | null;
  regex: string | null;
}

const KEYS = ['default', 'description', 'options', 'regex', 'type'];
const MAX_OPTIONS = 50;

/** What the header of a file declares. Throws ConfigError in GitLab's words. */
export function specsOf(spec: Yaml, patterns: Patterns): InputSpec[] {
  if (spec === null) return [];
  if (!isMap(spec)) throw new ConfigError('header:spec config should be a hash');
  refuseUnknown('header:spec', spec, ['inputs']);
  const inputs = spec.get('inputs') ?? null;
  if (inputs === null) return [];
  if (!isMap(inputs)) throw new ConfigError('header:spec:inputs config should be a hash');
  return [...inputs].map(([name, value]) => specOf(name, value, patterns));
}

function specOf(name: string, value: Yaml, patterns: Patterns): InputSpec {
  const at = `header:spec:inputs:${name}`;
  if (value === null) return { name, type: 'string', default: undefined, options: null, regex: null };
  if (!isMap(value)) throw new ConfigError(`${at} config should be a hash`);
  refuseUnknown(at, value, KEYS);
  const spec: InputSpec = {
    name,
    type: typeOf(at, value.get('type') ?? 'string'),
    default: value.get('default'),
    options: optionsOf(at, value.get('options') ?? null),
    regex: regexOf(at, value.get('regex') ?? null, patterns),
  };
  const description = value.get('description') ?? '';
  if (typeof description !== 'string') throw new ConfigError(`${at} description should be a string`);
  if (spec.regex !== null && spec.type !== 'string')
    throw new ConfigError(`${at} regex can only be used with string inputs`);
  if (spec.options?.some((option) => !fits(option, spec.type)))
    throw new ConfigError(`${at} options should be of the type of the input`);
  return spec;
}

function typeOf(at: string, value: Yaml): InputType {
  const type = INPUT_TYPES.find((each) => each === value);
  if (type) return type;
  throw new ConfigError(`${at} input type unknown value: ${scalarText(value)?.slice(0, 100) ?? ''}`);
}

function optionsOf(at: string, value: Yaml): readonly Yaml[] | null {
  if (value === null) return null;
  if (!isList(value)) throw new ConfigError(`${at} options should be an array`);
  if (value.length > MAX_OPTIONS)
    throw new ConfigError(`${at} options cannot define more than ${MAX_OPTIONS} options`);
  return value;
}

function regexOf(at: string, value: Yaml, patterns: Patterns): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && patterns.isValid({ source: value, flags: '' })) return value;
  throw new ConfigError(`${at} regex must be a valid regular expression`);
}

function refuseUnknown(at: string, map: YamlMap, allowed: readonly string[]): void {
  const unknown = [...map.keys()].filter((key) => !allowed.includes(key));
  if (unknown.length > 0) throw new ConfigError(`${at} config contains unknown keys: ${unknown.join(', ')}`);
}
