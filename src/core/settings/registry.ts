import { secondsOrNever } from '../../platform/duration.ts';
import { nullable, param } from '../../platform/http/params.ts';
import { type TSchema, Type } from '../../platform/http/schema.ts';
import type { Visibility } from '../tables.ts';
import { remoteHosts } from './remote-hosts.ts';

/**
 * What an administrator can set while the service runs: GitLab's names and, but for rate limits, GitLab's defaults. A row
 * belongs here when some room acts on it.
 */
export interface ApplicationSettings {
  default_project_visibility: Visibility;
  default_group_visibility: Visibility;
  /** Of repositories that the service initialises; `main` where it is empty. */
  default_branch_name: string | null;
  /** 0 none, 1 partly, 2 fully, 3 against pushes, 4 fully after the first push: what new default branches get. */
  default_branch_protection: number;
  default_projects_limit: number;
  can_create_group: boolean;
  user_default_external: boolean;
  /** Megabytes in one push; null for no limit. */
  receive_max_input_size: number | null;
  /** Searches a minute and user; 0, our default, for no limit. */
  search_rate_limit: number;
  /** Looks at lists of jobs a minute and user; 0, our default, for no limit. */
  project_jobs_api_rate_limit: number;
  /** Whether calls of each user are bounded, how many, and in which time. */
  throttle_authenticated_api_enabled: boolean;
  throttle_authenticated_api_requests_per_period: number;
  throttle_authenticated_api_period_in_seconds: number;
  /** The same for calls that say nobody who they are from, by their address. */
  throttle_unauthenticated_api_enabled: boolean;
  throttle_unauthenticated_api_requests_per_period: number;
  throttle_unauthenticated_api_period_in_seconds: number;
  /** What is said beyond that; `Retry later` where it is empty. */
  rate_limiting_response_text: string | null;
  /** Megabytes of one file that a job uploads, where its project and groups say nothing else. */
  max_artifacts_size: number;
  /** Megabytes of a job's log, the same. */
  ci_jobs_trace_size_limit: number;
  /** As `expire_in` of a job; `0` keeps what says nothing for ever. */
  default_artifacts_expire_in: string;
  /** Where `include: remote` may fetch from, in words: `*`, `example.com`, `*.example.com`, `http://10.0.0.5:8080`. */
  ci_remote_include_hosts: string;
  /** Whether runners may be registered by registration tokens. */
  allow_runner_registration_token: boolean;
  /** What can be searched for over everything. */
  global_search_issues_enabled: boolean;
  global_search_merge_requests_enabled: boolean;
  global_search_snippet_titles_enabled: boolean;
  global_search_users_enabled: boolean;
}

export type SettingName = keyof ApplicationSettings;

interface Row<T> {
  default: T;
  /** How a value may be written. */
  param: TSchema;
  /** How it is shown. */
  answer: TSchema;
  /** What is wrong with a value of the right type, in GitLab's words. */
  check?: (value: T) => string | null;
}

type Registry = { [K in SettingName]: Row<ApplicationSettings[K]> };

const visibilities = ['private', 'internal', 'public'] as const;

const visibility = (): Row<Visibility> => ({
  default: 'private',
  param: param.oneOf(visibilities),
  answer: Type.Union(visibilities.map((value) => Type.Literal(value))),
});

const flag = (value: boolean): Row<boolean> => ({
  default: value,
  param: param.boolean(),
  answer: Type.Boolean(),
});

const MAX_INT = 2 ** 31 - 1;

const count = (value: number, least = 0): Row<number> => ({
  default: value,
  param: param.integer(),
  answer: Type.Integer(),
  check: (given) => {
    if (given < least) return `must be greater than or equal to ${least}`;
    return given > MAX_INT ? `must be less than or equal to ${MAX_INT}` : null;
  },
});

/** Of a throttle, which would let nobody in with less than one. */
const positive = (value: number): Row<number> => ({
  ...count(value),
  check: (given) => (given < 1 ? 'must be greater than 0' : (count(value).check?.(given) ?? null)),
});

export const registry: Registry = {
  default_project_visibility: visibility(),
  default_group_visibility: visibility(),
  default_branch_name: {
    default: null,
    param: param.string(),
    answer: nullable(Type.String()),
    check: branchProblem,
  },
  default_branch_protection: {
    ...count(2),
    check: (given) => (given >= 0 && given <= 4 ? null : 'is not included in the list'),
  },
  default_projects_limit: count(100_000),
  can_create_group: flag(true),
  user_default_external: flag(false),
  receive_max_input_size: {
    default: null,
    param: param.integer(),
    answer: nullable(Type.Integer()),
    check: (given) => (given === null ? null : (count(1, 1).check?.(given) ?? null)),
  },
  search_rate_limit: count(0),
  project_jobs_api_rate_limit: count(0),
  throttle_authenticated_api_enabled: flag(false),
  throttle_authenticated_api_requests_per_period: positive(7200),
  throttle_authenticated_api_period_in_seconds: positive(3600),
  throttle_unauthenticated_api_enabled: flag(false),
  throttle_unauthenticated_api_requests_per_period: positive(3600),
  throttle_unauthenticated_api_period_in_seconds: positive(3600),
  rate_limiting_response_text: {
    default: null,
    param: param.string(),
    answer: nullable(Type.String()),
    check: (given) => ((given?.length ?? 0) > 10_000 ? 'is too long (maximum is 10000 characters)' : null),
  },
  max_artifacts_size: count(100, 1),
  ci_jobs_trace_size_limit: count(100, 1),
  default_artifacts_expire_in: {
    default: '30 days',
    param: param.string(),
    answer: Type.String(),
    check: (given) => (secondsOrNever(given) === undefined ? 'is not a correct duration' : null),
  },
  ci_remote_include_hosts: {
    default: '',
    param: param.string(),
    answer: Type.String(),
    check: (given) =>
      given.length > 10_000 || remoteHosts(given) === null ? 'is not a list of hosts' : null,
  },
  allow_runner_registration_token: flag(true),
  global_search_issues_enabled: flag(true),
  global_search_merge_requests_enabled: flag(true),
  global_search_snippet_titles_enabled: flag(true),
  global_search_users_enabled: flag(true),
};

export const settingNames = Object.keys(registry) as SettingName[];

/** The rules of git-check-ref-format that a name without control characters can break. */
function branchProblem(given: string | null): string | null {
  if (given === null || given === '') return null;
  const bad = /^[-/]|[\s~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^\.|\.lock(\/|$)|[./]$|^@$|[\x00-\x1f\x7f]/.test(given);
  return bad || given.length > 255 ? 'is not a valid Git branch name' : null;
}
