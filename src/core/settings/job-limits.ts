import { nullable, optional, param } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { Caller } from '../caller.ts';

/**
 * How much one job may store, in megabytes: the file that it uploads, and its log. Each project and group may have a limit of its own;
 * null leaves it to the group above and to the instance at last.
 */
export interface JobLimits {
  max_artifacts_size: number | null;
  ci_jobs_trace_size_limit: number | null;
}

export type JobLimit = keyof JobLimits;

export const noJobLimits: JobLimits = { max_artifacts_size: null, ci_jobs_trace_size_limit: null };

const megabytes = (what: string) =>
  optional(
    param.integer({
      minimum: 1,
      maximum: 1_000_000,
      description: `Megabytes of ${what} of one job; null for what holds above. Only administrators may set it.`,
    }),
  );

export const jobLimitParams = {
  max_artifacts_size: megabytes('an uploaded file'),
  ci_jobs_trace_size_limit: megabytes('the log'),
};

export const jobLimitFields = {
  max_artifacts_size: nullable(Type.Integer()),
  ci_jobs_trace_size_limit: nullable(Type.Integer()),
};

type Given = { [K in JobLimit]?: Static<(typeof jobLimitParams)[K]> | null | undefined };

/** What a call sets; nothing where an administrator must, as GitLab passes over it without a word. */
export function chosenJobLimits(caller: Pick<Caller, 'admin'>, params: Given): Partial<JobLimits> {
  if (!caller.admin) return {};
  const names = Object.keys(jobLimitParams) as JobLimit[];
  return Object.fromEntries(
    names.filter((name) => params[name] !== undefined).map((name) => [name, params[name]]),
  );
}
