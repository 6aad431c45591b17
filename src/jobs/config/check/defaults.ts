import type { ArtifactsPlan, CachePlan, ImagePlan, JobDefinition } from '../plan.ts';
import type { Yaml, YamlMap } from '../yaml/value.ts';
import { artifactsOf } from './artifacts.ts';
import type { At } from './at.ts';
import { cachesOf } from './cache.ts';
import { imageOf, servicesOf } from './image.ts';
import { retryOf } from './retry.ts';
import { hooksOf, scriptOf } from './script.ts';
import { durationOf, flagOf, hashOf, textsOf } from './values.ts';

/** What a job may say itself or take from `default`; null where nothing is said. */
export interface Defaults {
  image: ImagePlan | null;
  services: ImagePlan[] | null;
  before_script: string[] | null;
  after_script: string[] | null;
  tags: string[] | null;
  artifacts: ArtifactsPlan | null;
  cache: CachePlan[] | null;
  retry: JobDefinition['retry'] | null;
  timeout: number | null;
  interruptible: boolean | null;
  hooks: string[] | null;
}

const MONTH = 30 * 24 * 3600;
const MAX_TAGS = 50;
/** As the queue of jobs keeps them: an entry of its index holds some 2,700 bytes. */
const MAX_TAGS_BYTES = 2_000;

export const DEFAULT_KEYS = [
  ...['image', 'services', 'before_script', 'after_script', 'tags', 'artifacts', 'cache', 'retry', 'timeout'],
  ...['interruptible', 'hooks'],
] as const satisfies (keyof Defaults)[];

/** Keys that may stand at the top of the file instead of in `default`. */
export const TOP_DEFAULT_KEYS = ['image', 'services', 'before_script', 'after_script', 'cache'] as const;

/** Needs a provider of secrets, which this service is not: a job that asks for one would run without it. */
export const UNSUPPORTED_KEYS = ['id_tokens', 'secrets', 'identity'];

/** The same keys of a job or of `default`. */
export function sharedKeysOf(at: At, map: YamlMap): Defaults {
  const get = (key: keyof Defaults): Yaml | undefined => map.get(key);
  return {
    image: imageOf(at.in('image'), get('image')),
    services: servicesOf(at.in('services'), get('services')),
    before_script: scriptOf(at.in('before_script'), get('before_script')),
    after_script: scriptOf(at.in('after_script'), get('after_script')),
    tags: tagsOf(at.in('tags'), get('tags')),
    artifacts: artifactsOf(at.in('artifacts'), get('artifacts')),
    cache: cachesOf(at.in('cache'), get('cache')),
    retry: retryOf(at.in('retry'), get('retry')),
    timeout: durationOf(at.in('timeout'), { name: 'config', value: get('timeout'), most: MONTH }),
    interruptible: flagOf(at.in('interruptible'), 'config', get('interruptible')),
    hooks: hooksOf(at.in('hooks'), get('hooks')),
  };
}

function tagsOf(at: At, value: Yaml | undefined): string[] | null {
  const tags = textsOf(at, 'config', value);
  if (tags && tags.length > MAX_TAGS)
    return at.fail(`config must be less than the limit of ${MAX_TAGS} tags`);
  const long = tags && Buffer.byteLength(JSON.stringify(tags)) > MAX_TAGS_BYTES;
  if (long) return at.fail(`config is too long (maximum is ${MAX_TAGS_BYTES} bytes)`);
  return tags && [...new Set(tags)];
}

/** `default`, and what stands for it at the top of the file. */
export function defaultsOf(at: At, root: YamlMap): Defaults {
  const top = new Map([...root].filter(([key]) => (TOP_DEFAULT_KEYS as readonly string[]).includes(key)));
  const shared = sharedKeysOf(at, top);
  const value = root.get('default');
  if (value === undefined || value === null) return shared;
  const inside = at.in('default');
  const map = hashOf(inside, value, [...DEFAULT_KEYS, ...UNSUPPORTED_KEYS]);
  if (!map) return shared;
  refuseUnsupported(inside, map);
  return withDefaults(sharedKeysOf(inside, map), shared);
}

/** The own value of each key where there is one. */
export function withDefaults(own: Defaults, defaults: Defaults): Defaults {
  const chosen = DEFAULT_KEYS.map((key) => [key, own[key] ?? defaults[key]]);
  return Object.fromEntries(chosen) as unknown as Defaults;
}

export function refuseUnsupported(at: At, map: YamlMap): void {
  for (const key of UNSUPPORTED_KEYS)
    if (map.has(key)) at.fail(`config contains \`${key}\`, which is not supported here`);
}
