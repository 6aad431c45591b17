import type { ConfigVariable } from '../plan.ts';
import { isMap, scalarText, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import { isTexts } from './values.ts';

const ROOT_KEYS = ['value', 'description', 'expand', 'options'];
const JOB_KEYS = ['value', 'expand'];

/** Variables of a place; only global ones may be described. Null where there are none. */
export function variablesOf(
  at: At,
  value: Yaml | undefined,
  { described = false } = {},
): ConfigVariable[] | null {
  if (value === undefined || value === null) return null;
  if (!isMap(value)) return at.fail('config should be a hash');
  return [...value].flatMap(([key, each]) => variable(at.in(key), { key, value: each, described }) ?? []);
}

function variable(
  at: At,
  { key, value, described }: { key: string; value: Yaml; described: boolean },
): ConfigVariable | null {
  if (isMap(value)) return detailed(at, { key, map: value, described });
  const text = typeof value === 'boolean' ? String(value) : scalarText(value);
  if (text === null) return at.fail('variable definition must be either a string or a hash');
  return { key, value: text, raw: false };
}

function detailed(
  at: At,
  { key, map, described }: { key: string; map: YamlMap; described: boolean },
): ConfigVariable | null {
  const invalid = [...map.keys()].filter((name) => !(described ? ROOT_KEYS : JOB_KEYS).includes(name));
  if (invalid.length > 0) return at.fail(`config uses invalid data keys: ${invalid.join(', ')}`);
  const options = map.get('options');
  if (options !== undefined && !isTexts(options)) at.fail('config options should be an array of strings');
  const given = map.get('value');
  const value = scalarText(given) ?? (described && given === undefined ? '' : null);
  if (value === null) return at.fail('config value must be alphanumeric');
  if (isTexts(options) && !options.includes(value)) at.fail('config value must be present in options');
  const expand = map.get('expand');
  if (expand !== undefined && typeof expand !== 'boolean') at.fail('config expand should be a boolean value');
  return { key, value, raw: expand === false };
}
