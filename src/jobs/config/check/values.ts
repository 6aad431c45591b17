import { secondsOf } from '../../../platform/duration.ts';
import { isList, isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';

/**
 * Readers of what many keywords have. Each gives null for what is not there, and for what is wrong after telling so. `name` is
 * how GitLab calls the member in its sentence: `expire in should be a duration`.
 */

/** The mapping, or an empty one after telling that there is none. */
export function hashOf(at: At, value: Yaml, allowed?: readonly string[]): YamlMap | null {
  if (!isMap(value)) return at.fail('config should be a hash');
  if (allowed) refuseUnknown(at, value, allowed);
  return value;
}

export function refuseUnknown(at: At, map: YamlMap, allowed: readonly string[]): void {
  const unknown = [...map.keys()].filter((key) => !allowed.includes(key));
  if (unknown.length > 0) at.fail(`config contains unknown keys: ${unknown.join(', ')}`);
}

export function textOf(at: At, name: string, value: Yaml | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : at.fail(`${name} should be a string`);
}

/** The same for what must be there. */
export function requiredText(at: At, name: string, value: Yaml | undefined): string {
  if (value === undefined || value === null || value === '') at.fail(`${name} can't be blank`);
  return textOf(at, name, value) ?? '';
}

export function flagOf(at: At, name: string, value: Yaml | undefined): boolean | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'boolean' ? value : at.fail(`${name} should be a boolean value`);
}

export function isTexts(value: Yaml | undefined): value is readonly string[] {
  return isList(value) && value.every((each) => typeof each === 'string');
}

export function textsOf(at: At, name: string, value: Yaml | undefined): string[] | null {
  if (value === undefined || value === null) return null;
  return isTexts(value) ? [...value] : at.fail(`${name} should be an array of strings`);
}

/** A text stands for a list of one. */
export function textOrTexts(at: At, name: string, value: Yaml | undefined): string[] | null {
  if (typeof value === 'string') return [value];
  if (value === undefined || value === null) return null;
  return isTexts(value) ? [...value] : at.fail(`${name} should be an array of strings or a string`);
}

export function oneOf<const V extends string>(
  at: At,
  { name, value, allowed }: { name: string; value: Yaml | undefined; allowed: readonly V[] },
): V | null {
  if (value === undefined || value === null) return null;
  const found = allowed.find((each) => each === value);
  if (typeof value !== 'string') at.fail(`${name} should be a string`);
  return found ?? at.fail(`${name} should be one of: ${allowed.join(', ')}`);
}

/** Seconds of a duration such as `1 hour 30 minutes`. */
export function durationOf(
  at: At,
  { name, value, most }: { name: string; value: Yaml | undefined; most?: number },
): number | null {
  if (value === undefined || value === null) return null;
  const seconds = typeof value === 'string' ? lastingSeconds(value) : null;
  if (seconds === null) return at.fail(`${name} should be a duration`);
  return most !== undefined && seconds > most ? at.fail(`${name} should not exceed the limit`) : seconds;
}

/** Null for what is no duration, and for one of no second. */
export const lastingSeconds = (text: string): number | null => secondsOf(text) || null;

const MAX_NESTING = 10;

/** Lists within a list, as references make them, become one; null where they go deeper than GitLab follows, or are too many. */
export function flatten(value: Yaml, depth = 0): Yaml[] | null {
  if (!isList(value)) return [value];
  if (depth > MAX_NESTING) return null;
  const flat: Yaml[] = [];
  for (const each of value) {
    const inner = flatten(each, depth + 1);
    if (inner === null) return null;
    for (const item of inner) flat.push(item); // not a spread: there may be more than a call takes
  }
  return flat;
}
