import type { AutoCancel } from '../plan.ts';
import { isMap, type Yaml } from '../yaml/value.ts';
import type { At } from './at.ts';
import { refuseUnknown } from './values.ts';

const ON_NEW_COMMIT = ['conservative', 'interruptible', 'none'] as const;
const ON_JOB_FAILURE = ['none', 'all'];

/** `auto_cancel` of a workflow or of its rules: what a newer pipeline of the ref cancels. */
export function autoCancelOf(at: At, value: Yaml | undefined): AutoCancel | null {
  if (value === undefined || value === null) return null;
  if (!isMap(value)) return at.fail('config must be a hash');
  refuseUnknown(at, value, ['on_new_commit', 'on_job_failure']);
  checkOnJobFailure(at, value.get('on_job_failure'));
  const given = value.get('on_new_commit');
  if (given === undefined || given === null) return null;
  const found = ON_NEW_COMMIT.find((each) => each === given);
  return found ?? at.fail(`on new commit must be one of: ${ON_NEW_COMMIT.join(', ')}`);
}

function checkOnJobFailure(at: At, value: Yaml | undefined): void {
  if (value === undefined || value === null) return;
  if (!ON_JOB_FAILURE.includes(value as string)) at.fail('on job failure must be one of: none, all');
  else if (value === 'all')
    at.problems.warnings.push(`${at.path} on_job_failure: all is not supported and does nothing`);
}
