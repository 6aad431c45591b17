import type { ReleasePlan } from '../plan.ts';
import type { Yaml } from '../yaml/value.ts';
import type { At } from './at.ts';
import { hashOf, requiredText, textOf } from './values.ts';

const KEYS = ['tag_name', 'tag_message', 'name', 'description', 'ref', 'milestones', 'released_at', 'assets'];

/** `release`; null where there is none. */
export function releaseOf(at: At, value: Yaml | undefined): ReleasePlan | null {
  if (value === undefined || value === null) return null;
  const map = hashOf(at, value, KEYS);
  if (!map) return null;
  return {
    tagName: requiredText(at, 'tag name', map.get('tag_name')),
    description: requiredText(at, 'description', map.get('description')),
    name: textOf(at, 'name', map.get('name')),
    ref: textOf(at, 'ref', map.get('ref')),
  };
}
