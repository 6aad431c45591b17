import { type Expression, type SqlBool, sql, type Updateable } from 'kysely';
import { composed } from '../../../platform/db/prepared.ts';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { JobRow, JobsTable } from '../../tables.ts';
import type { RunnerRow } from '../tables.ts';

/** Written out, because SQLite uses the partial indexes of the queue only where their conditions are literals. */
const isWaiting = (table: string) =>
  sql<SqlBool>`${sql.ref(`${table}.kind`)} = 'build' and ${sql.ref(`${table}.status`)} = 'pending' and coalesce(${sql.ref(`${table}.runner_id`)}, 0) = 0`;
const isRunning = sql<SqlBool>`jobs.kind = 'build' and jobs.status in ('running', 'canceling')`;

/** Settings hold only what differs from the defaults, as JSON: a quote inside a text of theirs is escaped and never looks like this. */
const isNotSet = (pair: string): Expression<SqlBool> =>
  sql<SqlBool>`projects.settings not like ${sql.lit(`%${pair}%`)}`;

/** The jobs of a project that are alike to every runner. */
export interface WaitingGroup {
  projectId: number;
  tags: string;
  protected: number;
  /** The one that has waited longest. */
  jobId: number;
}

/**
 * What waits in the projects that a runner works for. The index is walked from one group to the next, so that it takes a step
 * for each group, not for each job. `cross join` keeps SQLite to the order in which the tables stand: it would begin with the projects.
 */
export function waitingGroups(db: Queryable, runner: RunnerRow): Promise<WaitingGroup[]> {
  const { id, namespace_id: groupId } = runner;
  switch (runner.runner_type) {
    case 'instance_type':
      return forInstance(db, {});
    case 'group_type':
      return forGroup(db, { groupId });
    case 'project_type':
      return forProjects(db, { id });
  }
}

/** `covered`: the projects that the runner works for, over `projects` and `namespaces`. */
const groupsOf = (covered: Expression<SqlBool>) => sql<WaitingGroup>`with recursive head(id) as (
      select (select first.id from jobs as first where ${isWaiting('first')}
        order by first.project_id, first.tags, first.protected, first.id limit 1)
      union all
      select (select after.id from jobs as after where ${isWaiting('after')}
          and (after.project_id, after.tags, after.protected) > (here.project_id, here.tags, here.protected)
        order by after.project_id, after.tags, after.protected, after.id limit 1)
      from head join jobs as here on here.id = head.id
    )
    select jobs.project_id as "projectId", jobs.tags, jobs.protected, jobs.id as "jobId"
    from head cross join jobs cross join projects cross join namespaces
    where jobs.id = head.id and projects.id = jobs.project_id and namespaces.id = projects.namespace_id and ${covered} and ${isNotSet('"builds_access_level":"disabled"')}`;

const forInstance = composed((db) => ({
  compile: () => groupsOf(isNotSet('"shared_runners_enabled":false')).compile(db),
}));

const forGroup = composed((db, at: { groupId: number | null }) => ({
  compile: () =>
    groupsOf(sql`(${isNotSet('"group_runners_enabled":false')} and namespaces.traversal like
      (select own.traversal from namespaces as own where own.id = ${at.groupId}) || '%')`).compile(db),
}));

const forProjects = composed((db, at: { id: number }) => ({
  compile: () =>
    groupsOf(sql`projects.id in (select project_id from runner_projects where runner_id = ${at.id})`).compile(
      db,
    ),
}));

/** How many jobs instance runners have under way, by project. */
export async function sharedRunning(db: Queryable): Promise<Map<number, number>> {
  const rows = await running(db, {});
  return new Map(rows.map(({ projectId, count }) => [projectId, Number(count)]));
}

const running = composed((db) =>
  db
    .selectFrom('jobs')
    .crossJoin('job_runs')
    .whereRef('job_runs.job_id', '=', 'jobs.id')
    .select((eb) => ['jobs.project_id as projectId', eb.fn.countAll<number>().as('count')])
    .where(isRunning)
    .where('job_runs.shared', '=', 1)
    .groupBy('jobs.project_id'),
);

/** What decides who may take a job, for those that wait for one. */
export interface OfferedJob {
  id: number;
  tags: string;
  protected: number;
  projectId: number;
  /** The project's. */
  settings: string;
  /** Of the project's namespace. */
  traversal: string;
}

/** The job while it waits; undefined once it does not. */
export function offeredJob(db: Queryable, jobId: number): Promise<OfferedJob | undefined> {
  return db
    .selectFrom('jobs')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select([
      'jobs.id',
      'jobs.tags',
      'jobs.protected',
      'jobs.project_id as projectId',
      'projects.settings',
      'namespaces.traversal',
    ])
    .where('jobs.id', '=', jobId)
    .where(isWaiting('jobs'))
    .executeTakeFirst();
}

/** The runners that a project has of its own. */
export async function runnersOfProject(db: Queryable, projectId: number): Promise<Set<number>> {
  const rows = await db
    .selectFrom('runner_projects')
    .select('runner_id')
    .where('project_id', '=', projectId)
    .execute();
  return new Set(rows.map((row) => row.runner_id));
}

/** A job with what it is told to do. */
export async function jobToTake(db: Queryable, id: number) {
  return (await toTake(db, { id }))[0];
}

const toTake = composed((db, at: { id: number }) =>
  db
    .selectFrom('jobs')
    .innerJoin('job_definitions as told', 'told.job_id', 'jobs.id')
    .selectAll('jobs')
    .select(['told.definition', 'told.variables'])
    .where('jobs.id', '=', at.id),
);

/** Writes who has the job while it is `pending` still. */
export function noteTaker(tx: Tx, job: Pick<JobRow, 'id'>, changes: Updateable<JobsTable>): Promise<JobRow> {
  return tx
    .updateTable('jobs')
    .set(changes)
    .where('id', '=', job.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
