import { isDecimal, isList, isMap, isReference, scalarText, type Yaml, YamlTooBig } from '../yaml/value.ts';

export const INPUT_TYPES = ['string', 'number', 'boolean', 'array'] as const;

export type InputType = (typeof INPUT_TYPES)[number];

/** Whether a value is of the type as it is written: a number in quotes is a text. */
export function fits(value: Yaml, type: InputType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' || isDecimal(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return isList(value);
  }
}

/** A value as a part of a longer text. */
export function inputText(value: Yaml): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return String(value);
  return scalarText(value) ?? JSON.stringify(plain(value));
}

/** A value as JSON has it. */
export function plain(value: Yaml): unknown {
  if (isMap(value)) return Object.fromEntries([...value].map(([key, each]) => [key, plain(each)]));
  if (isList(value)) return value.map(plain);
  if (isDecimal(value)) return Number(value.decimal);
  return isReference(value) ? plain(value.reference) : value;
}

const MAX_DEPTH = 100;

/** What JSON says, as YAML has it. What JSON cannot say is null. Throws YamlTooBig. */
export function yamlOf(value: unknown, depth = 0): Yaml {
  if (depth > MAX_DEPTH) throw new YamlTooBig();
  if (Array.isArray(value)) return value.map((each) => yamlOf(each, depth + 1));
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([key, each]) => [key, yamlOf(each, depth + 1)]));
  }
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? value : null;
}
