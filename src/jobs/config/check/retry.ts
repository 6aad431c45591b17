import { FAILURE_REASONS } from '../../runners/payload/features.ts';
import type { JobDefinition } from '../plan.ts';
import { isList, isMap, type Yaml } from '../yaml/value.ts';
import type { At } from './at.ts';
import { refuseUnknown, textOrTexts } from './values.ts';

type Retry = JobDefinition['retry'];

const MAX_RETRIES = 2;
/** Everything by which a job may fail, and what GitLab's reference names beside it. */
const REASONS: readonly string[] = [
  ...['always', 'stuck_pending_with_matching_runners', 'stuck_pending_no_matching_runners'],
  ...['no_updates_running', 'no_updates_canceling', 'server_timeout_running', 'server_timeout_canceling'],
  ...['job_execution_server_timeout', 'runner_configuration_error', 'runner_external_dependency_failure'],
  'runner_interrupted',
  ...FAILURE_REASONS,
];

export const NO_RETRY: Retry = { max: 0, when: ['always'], exitCodes: [] };

/** `retry`; null where there is none. */
export function retryOf(at: At, value: Yaml | undefined): Retry | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return { ...NO_RETRY, max: countOf(at, 'config', value) };
  if (!isMap(value)) return at.fail('config has to be either an integer or a hash');
  refuseUnknown(at, value, ['max', 'when', 'exit_codes']);
  const max = value.get('max');
  const exitCodes = exitCodesOf(at, value.get('exit_codes'));
  return {
    // GitLab's default of a retry that says only when
    max: max === undefined || max === null ? MAX_RETRIES : countOf(at, 'max', max),
    when: reasonsOf(at, value.get('when')) ?? (exitCodes.length > 0 ? [] : ['always']),
    exitCodes,
  };
}

function countOf(at: At, name: string, value: Yaml): number {
  if (typeof value !== 'number') at.fail(`${name} must be an integer`);
  else if (value > MAX_RETRIES) at.fail(`${name} must be less than or equal to ${MAX_RETRIES}`);
  else if (value < 0) at.fail(`${name} must be greater than or equal to 0`);
  else return value;
  return 0;
}

function reasonsOf(at: At, value: Yaml | undefined): string[] | null {
  const reasons = textOrTexts(at, 'when', value);
  const unknown = reasons?.filter((each) => !REASONS.includes(each)) ?? [];
  if (unknown.length > 0)
    at.fail(
      typeof value === 'string'
        ? 'when is not included in the list'
        : `when contains unknown values: ${unknown.join(', ')}`,
    );
  return reasons;
}

/** One or several exit codes; none where there are none. */
export function exitCodesOf(at: At, value: Yaml | undefined): number[] {
  if (value === undefined || value === null) return [];
  const codes = isList(value) ? value : [value];
  if (codes.length > 0 && codes.every((code) => typeof code === 'number' && Number.isInteger(code)))
    return codes as number[];
  at.fail('exit codes should be an array of integers or an integer');
  return [];
}
