import type { Policy } from '../config.ts';
import { patternIn } from '../expression/pattern.ts';
import { isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import { conditionOf } from './condition.ts';
import { changesOf } from './rules.ts';
import { isTexts, refuseUnknown } from './values.ts';

const KEYS = ['refs', 'kubernetes', 'variables', 'changes'];
const NO_REFS = 'config should be an array of strings or regular expressions using re2 syntax';

/** `only` or `except`; null where there is none. */
export function policyOf(at: At, value: Yaml | undefined): Policy | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return { ...ANY, refs: refsOf(at, value) };
  if (!isMap(value)) return at.fail('has to be either an array of conditions or a hash');
  refuseUnknown(at, value, KEYS);
  if (value.size === 0) at.fail("config can't be blank");
  return {
    refs: value.has('refs') ? refsOf(at.in('refs'), value.get('refs')!) : null,
    variables: variablesOf(at, value),
    changes: changesOf(at, value.get('changes'))?.paths ?? null,
    kubernetes: kubernetesOf(at, value),
  };
}

const ANY: Policy = { refs: null, variables: null, changes: null, kubernetes: false };

function refsOf(at: At, value: Yaml): string[] | null {
  return isTexts(value) && value.every((ref) => isRef(at, ref)) ? [...value] : at.fail(NO_REFS);
}

/** Names are names; what begins and ends with a slash must be a pattern. */
function isRef(at: At, ref: string): boolean {
  const [name = ''] = ref.split('@', 1);
  if (!name.startsWith('/')) return true;
  const pattern = patternIn(name);
  return pattern !== null && at.patterns.isValid(pattern);
}

function variablesOf(at: At, map: YamlMap): Policy['variables'] {
  const value = map.get('variables');
  if (value === undefined || value === null) return null;
  if (!isTexts(value)) return at.fail('variables should be an array of strings');
  return value.flatMap((text) => {
    const condition = conditionOf(at, 'variables', text);
    return condition ? { text, condition } : [];
  });
}

function kubernetesOf(at: At, map: YamlMap): boolean {
  const value = map.get('kubernetes');
  if (value === undefined || value === null) return false;
  if (value !== 'active') at.fail('kubernetes unknown value: only `active` is known');
  return true;
}
