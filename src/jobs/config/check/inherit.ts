import { isMap, type Yaml } from '../yaml/value.ts';
import type { At } from './at.ts';
import { DEFAULT_KEYS, type Defaults } from './defaults.ts';
import { isTexts, refuseUnknown } from './values.ts';

export interface Inheritance {
  defaults: boolean | string[];
  variables: boolean | string[];
}

const EVERYTHING: Inheritance = { defaults: true, variables: true };

/** `inherit`: what of the file's defaults and variables a job takes. */
export function inheritanceOf(at: At, value: Yaml | undefined): Inheritance {
  if (value === undefined || value === null) return EVERYTHING;
  if (!isMap(value)) {
    at.fail('config should be a hash');
    return EVERYTHING;
  }
  refuseUnknown(at, value, ['default', 'variables']);
  return {
    defaults: choiceOf(at.in('default'), value.get('default'), DEFAULT_KEYS),
    variables: choiceOf(at.in('variables'), value.get('variables')),
  };
}

function choiceOf(at: At, value: Yaml | undefined, allowed?: readonly string[]): boolean | string[] {
  if (value === undefined || value === null) return true;
  if (typeof value === 'boolean') return value;
  if (!isTexts(value)) {
    at.fail('config should be a bool or array of strings');
    return true;
  }
  const unknown = allowed ? value.filter((each) => !allowed.includes(each)) : [];
  if (unknown.length > 0) at.fail(`config contains unknown values: ${unknown.join(', ')}`);
  return [...value];
}

const NOTHING = Object.fromEntries(DEFAULT_KEYS.map((key) => [key, null])) as unknown as Defaults;

/** Of the defaults those that a job takes. */
export function inherited(defaults: Defaults, choice: Inheritance['defaults']): Defaults {
  if (choice === true) return defaults;
  const taken = choice === false ? [] : DEFAULT_KEYS.filter((key) => choice.includes(key));
  return { ...NOTHING, ...Object.fromEntries(taken.map((key) => [key, defaults[key]])) };
}
