import type { JobDefinition } from '../config/plan.ts';

/** A new run would meet the same. */
const HOPELESS: ReadonlySet<string> = new Set([
  'missing_dependency_failure',
  'ci_quota_exceeded',
  'no_matching_runner',
  'forward_deployment_failure',
  'environment_creation_failure',
  'trace_size_exceeded',
  'user_blocked',
  'project_deleted',
]);

/** The server's own mishaps are tried again though nobody asked for it. */
const OWN_RETRIES: Readonly<Record<string, number>> = { scheduler_failure: 2 };

export interface Failure {
  reason: string;
  exitCode: number | null;
  /** How often a job of this name has been begun again already. */
  retries: number;
}

/** Whether a job that failed so is to be begun again by itself. */
export function deservesRetry(
  retry: JobDefinition['retry'] | undefined,
  { reason, exitCode, retries }: Failure,
): boolean {
  if (HOPELESS.has(reason)) return false;
  const max = retry?.max || (OWN_RETRIES[reason] ?? 0);
  if (retries >= max) return false;
  if (!retry?.max) return true;
  const { when, exitCodes } = retry;
  if (when.length === 0 && exitCodes.length === 0) return true;
  if (exitCode !== null && exitCodes.includes(exitCode)) return true;
  return when.includes(reason) || when.includes('always');
}
