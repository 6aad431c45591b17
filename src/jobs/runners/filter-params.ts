import { fail } from '../../platform/errors.ts';
import { pageParams } from '../../platform/http/pagination.ts';
import { optional, param } from '../../platform/http/params.ts';
import type { RunnerFilter, RunnerScope, RunnerStatus } from './list-store.ts';
import { RUNNER_STATUSES } from './list-store.ts';
import { RUNNER_TYPES, type RunnerType } from './tables.ts';

/** `active` and `paused` are GitLab's older words for the filter `paused`. */
const STATUSES = [...RUNNER_STATUSES, 'active', 'paused'] as const;

export const runnerFilterParams = {
  scope: optional(
    param.string({ description: 'Deprecated: `specific`, `shared`, or one of the words of `status`.' }),
  ),
  type: optional(param.oneOf(RUNNER_TYPES)),
  status: optional(param.oneOf(STATUSES)),
  paused: optional(param.boolean()),
  tag_list: optional(param.csv({ description: 'Runners that have all of these tags.' })),
  version_prefix: optional(
    param.string({ description: 'Runners of which a machine has a version that begins so: `17`, `17.9`.' }),
  ),
  ...pageParams,
};

interface Asked {
  scope?: string | null | undefined;
  type?: RunnerType | null | undefined;
  status?: (typeof STATUSES)[number] | null | undefined;
  paused?: boolean | null | undefined;
  tag_list?: string[] | null | undefined;
  version_prefix?: string | null | undefined;
}

/** Throws 400 for a scope that is none. */
export function runnerFilter(scope: RunnerScope, asked: Asked, now: number): RunnerFilter {
  const status = statusAsked(asked);
  const paused = asked.paused ?? (status === 'paused' ? true : status === 'active' ? false : undefined);
  const known = RUNNER_STATUSES.find((word): word is RunnerStatus => word === status);
  return {
    scope,
    now,
    type: asked.type ?? (asked.scope === 'shared' ? 'instance_type' : undefined),
    notShared: asked.scope === 'specific',
    tags: asked.tag_list ?? undefined,
    versionPrefix: asked.version_prefix ?? undefined,
    paused,
    status: known,
  };
}

function statusAsked({ scope, status }: Asked): string | null {
  if (scope == null || scope === 'specific' || scope === 'shared') return status ?? null;
  if (!(STATUSES as readonly string[]).includes(scope)) throw fail.refused('Scope contains invalid value');
  return scope;
}
