import type { JobConfig } from '../config.ts';
import type { JobDefinition } from '../plan.ts';
import { isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import {
  DEFAULT_KEYS,
  type Defaults,
  refuseUnsupported,
  sharedKeysOf,
  UNSUPPORTED_KEYS,
  withDefaults,
} from './defaults.ts';
import { environmentOf } from './environment.ts';
import { inheritanceOf, inherited } from './inherit.ts';
import { type Needs, needsOf } from './needs.ts';
import { parallelOf } from './parallel.ts';
import { policyOf } from './policy.ts';
import { releaseOf } from './release.ts';
import { exitCodesOf, NO_RETRY } from './retry.ts';
import { JOB_RULES, rulesOf, startInOf } from './rules.ts';
import { scriptOf } from './script.ts';
import { triggerOf } from './trigger.ts';
import { oneOf, refuseUnknown, textOf, textOrTexts, textsOf } from './values.ts';
import { variablesOf } from './variables.ts';

const COMMON_KEYS = [
  ...[
    'extends',
    'stage',
    'only',
    'except',
    'rules',
    'variables',
    'inherit',
    'allow_failure',
    'when',
    'start_in',
  ],
  ...['needs', 'resource_group', 'environment', 'parallel', 'interruptible', 'manual_confirmation'],
];
const BUILD_KEYS = [
  ...COMMON_KEYS,
  ...DEFAULT_KEYS,
  ...UNSUPPORTED_KEYS,
  ...['script', 'dependencies', 'coverage', 'release', 'publish', 'pages'],
];
const BRIDGE_KEYS = [...COMMON_KEYS, 'trigger'];
const WHEN = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;
const MAX_NAME = 255;

/** A visible job; null where what it is cannot be told. */
export function jobOf(at: At, name: string, value: Yaml, defaults: Defaults): JobConfig | null {
  checkName(at, name);
  const isBuild = isMap(value) && value.has('script');
  const isBridge = isMap(value) && value.has('trigger');
  if (!isBuild && !isBridge) {
    at.problems.add(`jobs ${name} config should implement the script:, run:, or trigger: keyword`);
    return null;
  }
  const inside = at.in(name);
  refuseUnknown(inside, value, isBuild ? BUILD_KEYS : BRIDGE_KEYS);
  refuseUnsupported(inside, value);
  return read(inside, { name, map: value, kind: isBuild ? 'build' : 'bridge', defaults });
}

/** Nothing is published here; what a file says of it is only checked. */
function checkPages(at: At, name: string, map: YamlMap): void {
  const pages = map.get('pages') ?? name === 'pages';
  if (typeof pages !== 'boolean' && !isMap(pages))
    at.in('pages').fail('config should be a hash or a boolean value');
  else if (pages === false && map.get('publish') != null)
    at.fail('publish can only be used within a `pages` job');
}

function checkName(at: At, name: string): void {
  if (name.trim() === '') at.fail("job name can't be blank");
  if (name.length > MAX_NAME) at.in(name).fail(`job name is too long (maximum is ${MAX_NAME} characters)`);
}

interface Read {
  name: string;
  map: YamlMap;
  kind: JobConfig['kind'];
  defaults: Defaults;
}

function read(at: At, { name, map, kind, defaults }: Read): JobConfig {
  checkPages(at, name, map);
  textOrTexts(at, 'extends', map.get('extends')); // it has been resolved where it was right
  const inheritance = inheritanceOf(at.in('inherit'), map.get('inherit'));
  const shared = withDefaults(sharedKeysOf(at, map), inherited(defaults, inheritance.defaults));
  const needs = needsOf(at.in('needs'), map.get('needs'), kind);
  const definition = definitionOf(at, { map, kind, shared, needs });
  checkDependencies(at, definition.dependencies, needs);
  return {
    kind,
    name,
    stage: textOf(at.in('stage'), 'config', map.get('stage')) ?? 'test',
    ...conditionsOf(at, map),
    ...failureOf(at, map.get('allow_failure'), definition),
    needs: needs && (needs.needs.length > 0 || needs.cross.length === 0) ? needs.needs : null,
    parallel: parallelOf(at.in('parallel'), map.get('parallel')),
    tags: kind === 'build' ? (shared.tags ?? []) : [],
    interruptible: shared.interruptible ?? false,
    resourceGroup: textOf(at, 'resource group', map.get('resource_group')),
    environment: environmentOf(at.in('environment'), map.get('environment')),
    variables: variablesOf(at.in('variables'), map.get('variables')) ?? [],
    inheritVariables: inheritance.variables,
    definition,
    linesBefore: kind === 'build' ? (shared.before_script?.length ?? 0) : 0,
  };
}

function conditionsOf(
  at: At,
  map: YamlMap,
): Pick<JobConfig, 'when' | 'startIn' | 'rules' | 'only' | 'except'> {
  const when = oneOf(at, { name: 'when', value: map.get('when'), allowed: WHEN });
  const rules = rulesOf(at, map.get('rules'), JOB_RULES);
  const hasRules = map.get('rules') != null;
  const excluded = ['only', 'except', 'start_in'].filter((key) => hasRules && map.get(key) != null);
  if (excluded.length > 0) at.fail(`config key may not be used with \`rules\`: ${excluded.join(', ')}`);
  return {
    when,
    startIn: startInOf(at, when, hasRules ? null : map.get('start_in')),
    rules,
    only: policyOf(at.in('only'), map.get('only')),
    except: policyOf(at.in('except'), map.get('except')),
  };
}

/** `allow_failure`: yes, no, or at these exit codes, which the definition keeps. */
function failureOf(at: At, value: Yaml | undefined, definition: JobDefinition) {
  if (value === undefined || value === null) return { allowFailure: null };
  if (typeof value === 'boolean') return { allowFailure: value };
  if (!isMap(value)) return { allowFailure: at.fail('allow failure should be a hash or a boolean value') };
  const inside = at.in('allow_failure');
  refuseUnknown(inside, value, ['exit_codes']);
  definition.allowFailureExitCodes = exitCodesOf(inside, value.get('exit_codes'));
  return { allowFailure: false };
}

function definitionOf(
  at: At,
  {
    map,
    kind,
    shared,
    needs,
  }: { map: YamlMap; kind: JobConfig['kind']; shared: Defaults; needs: Needs | null },
): JobDefinition {
  const script = scriptOf(at.in('script'), map.get('script'));
  if (kind === 'build' && isBlank(map.get('script'), script)) at.fail("script can't be blank");
  const isBuild = kind === 'build';
  return {
    script: isBuild ? [...(shared.before_script ?? []), ...(script ?? [])] : [],
    afterScript: (isBuild && shared.after_script) || [],
    hooks: { preGetSources: (isBuild && shared.hooks) || [] },
    image: isBuild ? shared.image : null,
    services: (isBuild && shared.services) || [],
    cache: (isBuild && shared.cache) || [],
    artifacts: isBuild ? shared.artifacts : null,
    dependencies: textsOf(at, 'dependencies', map.get('dependencies')),
    crossNeeds: needs?.cross ?? [],
    retry: (isBuild && shared.retry) || NO_RETRY,
    timeout: isBuild ? shared.timeout : null,
    coverage: coverageOf(at.in('coverage'), map.get('coverage')),
    allowFailureExitCodes: [],
    release: releaseOf(at.in('release'), map.get('release')),
    trigger: map.has('trigger') && !isBuild ? triggerOf(at.in('trigger'), map.get('trigger') ?? null) : null,
    node: null,
    manualConfirmation: textOf(at, 'manual confirmation', map.get('manual_confirmation')),
  };
}

const isBlank = (written: Yaml | undefined, lines: readonly string[] | null): boolean =>
  written === null || lines?.length === 0 || (typeof written === 'string' && written.trim() === '');

function coverageOf(at: At, value: Yaml | undefined): string | null {
  if (value === undefined || value === null) return null;
  const [, source] = typeof value === 'string' ? (/^\/(.+)\/$/s.exec(value) ?? []) : [];
  const isPattern = source !== undefined && at.patterns.isValid({ source, flags: '' });
  return isPattern ? source : at.fail('config must be a regular expression');
}

/** What is downloaded of other jobs must be waited for. */
function checkDependencies(at: At, dependencies: string[] | null, needs: Needs | null): void {
  if (!dependencies || !needs) return;
  if (needs.needs.length === 0 && needs.cross.some(({ pipeline }) => pipeline !== null))
    at.fail('needs corresponding to dependencies must be from the same pipeline');
  if (needs.needs.length === 0) return;
  const missing = dependencies.filter((name) => !needs.needs.some(({ job }) => job === name));
  if (missing.length > 0) at.fail(`dependencies the ${missing.join(', ')} should be part of needs`);
}
