import { isoTime, isoTimeOrNull, presentUserBasic, UserBasic } from '../../core/entities.ts';
import type { Project, User } from '../../core/tables.ts';
import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { RunnerManagerRow, RunnerRow } from './tables.ts';

const nullableText = nullable(Type.String());

export const RunnerRegistration = Type.Object(
  { id: Type.Integer(), token: Type.String(), token_expires_at: Type.Null() },
  { $id: 'RunnerRegistration' },
);

/** An authentication token, or a registration token: neither expires. */
export const RunnerToken = Type.Object(
  { token: Type.String(), token_expires_at: Type.Null() },
  { $id: 'RunnerToken' },
);

const shared = {
  id: Type.Integer(),
  description: nullableText,
  ip_address: nullableText,
  active: Type.Boolean(),
  paused: Type.Boolean(),
  is_shared: Type.Boolean(),
  runner_type: Type.String(),
  name: nullableText,
  online: nullable(Type.Boolean()),
  created_by: nullable(UserBasic),
  created_at: timestamp(),
  status: Type.String(),
  job_execution_status: Type.String(),
};

export const Runner = Type.Object(shared, { $id: 'Runner' });
export type RunnerEntity = Static<typeof Runner>;

export const RunnerManager = Type.Object(
  {
    id: Type.Integer(),
    system_id: Type.String(),
    version: nullableText,
    revision: nullableText,
    platform: nullableText,
    architecture: nullableText,
    created_at: timestamp(),
    contacted_at: nullable(timestamp()),
    ip_address: nullableText,
    status: Type.String(),
    job_execution_status: Type.String(),
  },
  { $id: 'RunnerManager' },
);
export type RunnerManagerEntity = Static<typeof RunnerManager>;

/** As much of a project as the pages of runners show. */
export const RunnerProject = Type.Object({
  id: Type.Integer(),
  description: nullableText,
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: timestamp(),
});

export const RunnerDetail = Type.Object(
  {
    ...shared,
    tag_list: Type.Array(Type.String()),
    run_untagged: Type.Boolean(),
    locked: Type.Boolean(),
    maximum_timeout: nullable(Type.Integer()),
    access_level: Type.String(),
    version: nullableText,
    revision: nullableText,
    platform: nullableText,
    architecture: nullableText,
    contacted_at: nullable(timestamp()),
    maintenance_note: nullableText,
    projects: Type.Array(RunnerProject),
    groups: Type.Array(Type.Object({ id: Type.Integer(), web_url: Type.String(), name: Type.String() })),
  },
  { $id: 'RunnerDetail' },
);
export type RunnerDetailEntity = Static<typeof RunnerDetail>;

/** GitLab's: so long after its last call a runner counts as online. */
export const ONLINE_MS = 2 * 3600_000;
const STALE_MS = 7 * 24 * 3600_000;

type Contacted = { contacted_at: number | null; created_at: number };

/** GitLab's words for when a runner or a machine was heard of. */
export function statusOf({ contacted_at: contacted, created_at: created }: Contacted, now: number): string {
  if ((contacted ?? created) < now - STALE_MS) return 'stale';
  if (contacted === null) return 'never_contacted';
  return contacted > now - ONLINE_MS ? 'online' : 'offline';
}

/** What is known of a runner beside its row. */
export interface RunnerContext {
  now: number;
  baseUrl: string;
  creator: User | undefined;
  /** Whether it has a job under way. */
  busy: boolean;
  /** The machine that was heard of last. */
  manager: RunnerManagerRow | undefined;
}

export function presentRunner(runner: RunnerRow, context: RunnerContext): RunnerEntity {
  const { now, baseUrl, creator, busy, manager } = context;
  return {
    id: runner.id,
    description: runner.description,
    ip_address: manager?.ip_address ?? null,
    active: runner.paused === 0,
    paused: runner.paused === 1,
    is_shared: runner.runner_type === 'instance_type',
    runner_type: runner.runner_type,
    name: manager?.name ?? null,
    online: runner.contacted_at === null ? null : runner.contacted_at > now - ONLINE_MS,
    created_by: creator ? presentUserBasic(creator, baseUrl) : null,
    created_at: isoTime(runner.created_at),
    status: statusOf(runner, now),
    job_execution_status: busy ? 'active' : 'idle',
  };
}

export const presentManager = (
  manager: RunnerManagerRow,
  { now, busy }: Pick<RunnerContext, 'now' | 'busy'>,
): RunnerManagerEntity => ({
  id: manager.id,
  system_id: manager.system_id,
  version: manager.version,
  revision: manager.revision,
  platform: manager.platform,
  architecture: manager.architecture,
  created_at: isoTime(manager.created_at),
  contacted_at: isoTimeOrNull(manager.contacted_at),
  ip_address: manager.ip_address,
  status: statusOf(manager, now),
  job_execution_status: busy ? 'active' : 'idle',
});

export const presentRunnerProject = (project: Project): Static<typeof RunnerProject> => ({
  id: project.id,
  description: project.description,
  name: project.name,
  name_with_namespace: project.name_with_namespace,
  path: project.path,
  path_with_namespace: project.full_path,
  created_at: isoTime(project.created_at),
});
