import type { ImagePlan } from '../plan.ts';
import { isList, isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import { refuseUnknown, requiredText, textOf, textOrTexts, textsOf } from './values.ts';
import { variablesOf } from './variables.ts';

const IMAGE_KEYS = ['name', 'entrypoint', 'ports', 'docker', 'kubernetes', 'pull_policy'];
const SERVICE_KEYS = [...IMAGE_KEYS, 'command', 'alias', 'variables'];
const PULL_POLICIES = ['always', 'never', 'if-not-present'];

/** `image`; null where there is none. */
export function imageOf(at: At, value: Yaml | undefined): ImagePlan | null {
  return container(at, value, IMAGE_KEYS);
}

/** `services`; null where there are none. */
export function servicesOf(at: At, value: Yaml | undefined): ImagePlan[] | null {
  if (value === undefined || value === null) return null;
  if (!isList(value)) return at.fail('config should be a array');
  return value.flatMap((each) => service(at.in('service'), each) ?? []);
}

function service(at: At, value: Yaml): ImagePlan | null {
  if (value === null) return at.fail("config can't be blank");
  return container(at, value, SERVICE_KEYS);
}

function container(at: At, value: Yaml | undefined, allowed: readonly string[]): ImagePlan | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value === '' ? at.fail("config can't be blank") : named(value);
  if (!isMap(value)) return at.fail('config should be a hash or a string');
  refuseUnknown(at, value, allowed);
  return {
    name: requiredText(at, 'name', value.get('name')),
    alias: textOf(at, 'alias', value.get('alias')),
    entrypoint: textsOf(at, 'entrypoint', value.get('entrypoint')),
    command: textsOf(at, 'command', value.get('command')),
    pullPolicy: pullPolicyOf(at.in('pull_policy'), value.get('pull_policy')),
    variables: variablesOf(at.in('variables'), value.get('variables')) ?? [],
    docker: dockerOf(at.in('docker'), value.get('docker')),
  };
}

const named = (name: string): ImagePlan => ({
  name,
  alias: null,
  entrypoint: null,
  command: null,
  pullPolicy: null,
  variables: [],
  docker: null,
});

function pullPolicyOf(at: At, value: Yaml | undefined): string[] | null {
  const policies = textOrTexts(at, 'config', value);
  const unknown = policies?.filter((each) => !PULL_POLICIES.includes(each)) ?? [];
  if (unknown.length > 0) at.fail(`config contains unknown values: ${unknown.join(', ')}`);
  return policies;
}

function dockerOf(at: At, value: Yaml | undefined): ImagePlan['docker'] {
  if (value === undefined || value === null) return null;
  if (!isMap(value)) return at.fail('config should be a hash');
  refuseUnknown(at, value, ['platform', 'user']);
  return { ...optionalText(at, value, 'platform'), ...optionalText(at, value, 'user') };
}

function optionalText(at: At, map: YamlMap, key: string): Record<string, string> {
  const text = textOf(at, key, map.get(key));
  return text === null ? {} : { [key]: text };
}
