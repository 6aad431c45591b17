import type { EnvironmentPlan } from '../plan.ts';
import { isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import type { At } from './at.ts';
import { durationOf, refuseUnknown, requiredText, textOf } from './values.ts';

const KEYS = ['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'kubernetes', 'deployment_tier'];
const ACTIONS = ['start', 'stop', 'prepare', 'verify', 'access'];
const TIERS = ['production', 'staging', 'testing', 'development', 'other'];
const NAME = /^(?!\/)[A-Za-z0-9_./${} -]{1,255}(?<!\/)$/;

/** `environment`; null where there is none. */
export function environmentOf(at: At, value: Yaml | undefined): EnvironmentPlan | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' && !isMap(value)) return at.fail('config should be a hash or a string');
  const map: YamlMap = isMap(value) ? value : new Map([['name', value]]);
  refuseUnknown(at, map, KEYS);
  return {
    name: nameOf(at, map.get('name')),
    url: textOf(at, 'url', map.get('url')),
    action: actionOf(at, map.get('action')),
    onStop: textOf(at, 'on stop', map.get('on_stop')),
    autoStopIn: autoStopInOf(at, map.get('auto_stop_in')),
    deploymentTier: tierOf(at, map.get('deployment_tier')),
  };
}

function nameOf(at: At, value: Yaml | undefined): string {
  const name = requiredText(at, 'name', value);
  if (name !== '' && !NAME.test(name))
    at.fail(
      "name can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
    );
  return name;
}

function actionOf(at: At, value: Yaml | undefined): string {
  if (value === undefined || value === null) return 'start';
  const action = ACTIONS.find((each) => each === value);
  if (!action) at.fail('action should be start, stop, prepare, verify, or access');
  return action ?? 'start';
}

/** A duration, or a variable that will hold one. */
function autoStopInOf(at: At, value: Yaml | undefined): string | null {
  const text = textOf(at, 'auto stop in', value);
  if (text !== null && !text.includes('$')) durationOf(at, { name: 'auto stop in', value: text });
  return text;
}

function tierOf(at: At, value: Yaml | undefined): string | null {
  const tier = textOf(at, 'deployment tier', value);
  if (tier !== null && !tier.includes('$') && !TIERS.includes(tier))
    at.fail(`deployment tier must be one of ${TIERS.join(', ')}`);
  return tier;
}
