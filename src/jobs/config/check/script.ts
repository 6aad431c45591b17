import type { Yaml } from '../yaml/value.ts';
import type { At } from './at.ts';
import { flatten } from './values.ts';

/** Commands as one flat list; null where there are none. */
export function scriptOf(at: At, value: Yaml | undefined): string[] | null {
  if (value === undefined || value === null) return null;
  const lines = flatten(value);
  if (lines?.every((line) => typeof line === 'string')) return lines as string[];
  return at.fail('config should be a string or a nested array of strings up to 10 levels deep');
}

/** `hooks`. */
export function hooksOf(at: At, value: Yaml | undefined): string[] | null {
  if (value === undefined || value === null) return null;
  if (!(value instanceof Map)) return at.fail('config should be a hash');
  const unknown = [...value.keys()].filter((key) => key !== 'pre_get_sources_script');
  if (unknown.length > 0) at.fail(`config contains unknown keys: ${unknown.join(', ')}`);
  return scriptOf(at.in('pre_get_sources_script'), value.get('pre_get_sources_script'));
}
