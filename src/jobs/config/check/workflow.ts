import type { Workflow } from '../config.ts';
import { isMap, type Yaml } from '../yaml/value.ts';
import type { At } from './at.ts';
import { autoCancelOf } from './auto-cancel.ts';
import { rulesOf, WORKFLOW_RULES } from './rules.ts';
import { refuseUnknown, textOf } from './values.ts';

const MAX_NAME = 255;
const NONE: Workflow = { name: null, rules: null, autoCancel: 'conservative' };

/** `workflow`; where there is none, every pipeline may be. */
export function workflowOf(at: At, value: Yaml | undefined): Workflow {
  if (value === undefined || value === null) return NONE;
  if (!isMap(value)) {
    at.fail('config should be a hash');
    return NONE;
  }
  refuseUnknown(at, value, ['rules', 'name', 'auto_cancel']);
  const name = textOf(at, 'name', value.get('name'));
  if (name !== null && name.length > MAX_NAME)
    at.fail(`name is too long (maximum is ${MAX_NAME} characters)`);
  return {
    name,
    rules: rulesOf(at, value.get('rules'), WORKFLOW_RULES),
    autoCancel: autoCancelOf(at.in('auto_cancel'), value.get('auto_cancel')) ?? 'conservative',
  };
}
