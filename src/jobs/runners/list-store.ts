import { type Expression, type SqlBool, sql } from 'kysely';
import { Level } from '../../core/access/levels.ts';
import { memberOfGroup, memberOfProject, type Viewer } from '../../core/access/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { RunnerRow, RunnerType } from './tables.ts';

/** Whose runners are listed. */
export type RunnerScope =
  | { all: true }
  /** Those that the viewer looks after: of the projects he maintains and the groups he owns. */
  | { managedBy: Viewer }
  /** Those that work for the project: its own, its groups', the instance's. */
  | { project: { id: number; groupIds: number[]; shared: boolean; ofGroups: boolean } }
  | { group: { groupIds: number[]; shared: boolean } };

export interface RunnerFilter {
  scope: RunnerScope;
  type?: RunnerType | undefined;
  /** Without those of the instance. */
  notShared: boolean;
  paused?: boolean | undefined;
  status?: RunnerStatus | undefined;
  /** All of them. */
  tags?: string[] | undefined;
  /** Of one of its machines. */
  versionPrefix?: string | undefined;
  now: number;
}

export const RUNNER_STATUSES = ['online', 'offline', 'stale', 'never_contacted'] as const;
export type RunnerStatus = (typeof RUNNER_STATUSES)[number];

const ONLINE_MS = 2 * 3600_000;
const STALE_MS = 7 * 24 * 3600_000;

export function listRunners(
  db: Queryable,
  filter: RunnerFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<RunnerRow[]> {
  return db
    .selectFrom('runners')
    .selectAll()
    .where((eb) => eb.and(conditions(filter)))
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countRunners(db: Queryable, filter: RunnerFilter): Promise<number> {
  const row = await db
    .selectFrom('runners')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where((eb) => eb.and(conditions(filter)))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

function conditions({
  scope,
  type,
  notShared,
  paused,
  status,
  tags,
  versionPrefix,
  now,
}: RunnerFilter): Expression<SqlBool>[] {
  return [
    within(scope),
    ...(type ? [sql<SqlBool>`runners.runner_type = ${type}`] : []),
    ...(notShared ? [sql<SqlBool>`runners.runner_type <> 'instance_type'`] : []),
    ...(paused === undefined ? [] : [sql<SqlBool>`runners.paused = ${paused ? 1 : 0}`]),
    ...(status ? [hasStatus(status, now)] : []),
    ...(tags ?? []).map(hasTag),
    ...(versionPrefix ? [hasVersion(versionPrefix)] : []),
  ];
}

function within(scope: RunnerScope): Expression<SqlBool> {
  if ('all' in scope) return sql<SqlBool>`1 = 1`;
  if ('managedBy' in scope) return managedBy(scope.managedBy);
  if ('project' in scope) {
    const { id, groupIds, shared, ofGroups } = scope.project;
    return sql<SqlBool>`(runners.id in (select runner_id from runner_projects where project_id = ${id})
      or ${ofGroups ? ofOneOf(groupIds) : NEVER} or ${shared ? IS_SHARED : NEVER})`;
  }
  return sql<SqlBool>`(${ofOneOf(scope.group.groupIds)} or ${scope.group.shared ? IS_SHARED : NEVER})`;
}

const NEVER = sql`1 = 0`;
const IS_SHARED = sql`runners.runner_type = 'instance_type'`;

const ofOneOf = (groupIds: number[]) =>
  groupIds.length === 0 ? NEVER : sql`runners.namespace_id in (${sql.join(groupIds)})`;

const managedBy = (viewer: Viewer): Expression<SqlBool> => sql<SqlBool>`(
  runners.namespace_id in (select namespaces.id from namespaces where ${memberOfGroup(viewer, Level.owner)})
  or runners.id in (select own.runner_id from runner_projects as own
    join projects on projects.id = own.project_id
    join namespaces on namespaces.id = projects.namespace_id
    where ${memberOfProject(viewer, Level.maintainer)}))`;

/** The words of `statusOf`. */
function hasStatus(status: RunnerStatus, now: number): Expression<SqlBool> {
  const online = now - ONLINE_MS;
  const stale = now - STALE_MS;
  const heard = sql`coalesce(runners.contacted_at, runners.created_at)`;
  switch (status) {
    case 'online':
      return sql<SqlBool>`runners.contacted_at > ${online}`;
    case 'offline':
      return sql<SqlBool>`(runners.contacted_at <= ${online} and runners.contacted_at >= ${stale})`;
    case 'stale':
      return sql<SqlBool>`${heard} < ${stale}`;
    case 'never_contacted':
      return sql<SqlBool>`(runners.contacted_at is null and runners.created_at >= ${stale})`;
  }
}

/** Tags are a JSON list of texts: within it a quote of a tag's own is escaped. */
const hasTag = (tag: string): Expression<SqlBool> =>
  sql<SqlBool>`runners.tags like ${`%${literal(JSON.stringify(tag))}%`} escape '\\'`;

const hasVersion = (prefix: string): Expression<SqlBool> => sql<SqlBool>`exists (
  select 1 from runner_managers
  where runner_managers.runner_id = runners.id
  and runner_managers.version like ${`${literal(prefix)}%`} escape '\\')`;

const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Which of the runners have a job under way. */
export async function busyRunners(db: Queryable, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('jobs')
    .select('runner_id')
    .distinct()
    .where(sql<SqlBool>`kind = 'build' and status in ('running', 'canceling')`)
    .where('runner_id', 'in', [...ids])
    .execute();
  return new Set(rows.flatMap((row) => row.runner_id ?? []));
}

/** Which of the machines have a job under way. */
export async function busyManagers(db: Queryable, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('jobs')
    .select('runner_manager_id')
    .distinct()
    .where(sql<SqlBool>`kind = 'build' and status in ('running', 'canceling')`)
    .where('runner_manager_id', 'in', [...ids])
    .execute();
  return new Set(rows.flatMap((row) => row.runner_manager_id ?? []));
}
