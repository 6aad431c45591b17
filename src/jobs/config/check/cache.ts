import type { CachePlan } from '../plan.ts';
import { isList, isMap, type Yaml } from '../yaml/value.ts';
import type { At } from './at.ts';
import { flagOf, hashOf, isTexts, oneOf, refuseUnknown } from './values.ts';

const KEYS = ['key', 'paths', 'untracked', 'policy', 'when', 'fallback_keys', 'unprotect'];
const POLICIES = ['pull-push', 'push', 'pull'] as const;
const WHEN = ['on_success', 'on_failure', 'always'] as const;
const MAX_CACHES = 4;
const MAX_KEY_FILES = 2;
const MAX_FALLBACK_KEYS = 5;

/** `cache`, one or several; null where there is none. */
export function cachesOf(at: At, value: Yaml | undefined): CachePlan[] | null {
  if (value === undefined || value === null) return null;
  if (!isList(value)) return [cache(at, value) ?? []].flat();
  if (value.length > MAX_CACHES) return at.fail(`config no more than ${MAX_CACHES} caches can be created`);
  return value.flatMap((each) => cache(at, each) ?? []);
}

function cache(at: At, value: Yaml): CachePlan | null {
  const map = hashOf(at, value, KEYS);
  if (!map) return null;
  const policy = map.get('policy');
  const isVariable = typeof policy === 'string' && policy.startsWith('$');
  return {
    key: keyOf(at.in('key'), map.get('key')),
    paths: listOf(at.in('paths'), map.get('paths')),
    untracked: flagOf(at.in('untracked'), 'config', map.get('untracked')) ?? false,
    policy: isVariable
      ? policy
      : (oneOf(at, { name: 'policy', value: policy, allowed: POLICIES }) ?? 'pull-push'),
    when: oneOf(at, { name: 'when', value: map.get('when'), allowed: WHEN }) ?? 'on_success',
    fallbackKeys: fallbackKeysOf(at.in('fallback_keys'), map.get('fallback_keys')),
    unprotect: flagOf(at.in('unprotect'), 'config', map.get('unprotect')) ?? false,
  };
}

function listOf(at: At, value: Yaml | undefined): string[] {
  if (value === undefined || value === null) return [];
  if (isTexts(value)) return [...value];
  at.fail('config should be an array of strings');
  return [];
}

function fallbackKeysOf(at: At, value: Yaml | undefined): string[] {
  const keys = listOf(at, value);
  if (keys.length > MAX_FALLBACK_KEYS)
    at.fail(`config has too many entries (maximum is ${MAX_FALLBACK_KEYS})`);
  return keys;
}

function keyOf(at: At, value: Yaml | undefined): CachePlan['key'] {
  if (value === undefined || value === null) return 'default';
  if (typeof value === 'string') return value;
  if (isMap(value)) {
    refuseUnknown(at, value, ['files', 'prefix']);
    if (!value.has('files')) at.fail('config missing required keys: files');
    return {
      files: filesOf(at.in('files'), value.get('files')),
      prefix: prefixOf(at.in('prefix'), value.get('prefix')),
    };
  }
  at.fail('should be a hash, a string or a symbol');
  return 'default';
}

function prefixOf(at: At, value: Yaml | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : at.fail('config should be a string or symbol');
}

function filesOf(at: At, value: Yaml | undefined): string[] {
  const files = listOf(at, value);
  if (isTexts(value) && files.length === 0) at.fail('config requires at least 1 item');
  if (files.length > MAX_KEY_FILES) at.fail(`config has too many items (maximum is ${MAX_KEY_FILES})`);
  return files;
}
