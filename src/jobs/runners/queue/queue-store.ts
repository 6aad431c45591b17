import { type Expression, type SqlBool, sql, type Updateable } from 'kysely';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { JobRow, JobsTable } from '../../tables.ts';
import type { RunnerRow } from '../tables.ts';

/** Written out, because SQLite uses the partial indexes of the queue only where their conditions are literals. */
const isWaiting = sql<SqlBool>`jobs.kind = 'build' and jobs.status = 'pending'`;
const isRunning = sql<SqlBool>`jobs.kind = 'build' and jobs.status in ('running', 'canceling')`;
/** One that was handed out and awaits its runner's word is no longer in the queue. */
const isFree = sql<SqlBool>`not exists (select 1 from job_runs where job_runs.job_id = jobs.id)`;

/** Every set of tags that waiting jobs have: there are few, however many jobs wait. */
export async function waitingTagSets(db: Queryable): Promise<string[]> {
  const rows = await db.selectFrom('jobs').select('tags').distinct().where(isWaiting).execute();
  return rows.map((row) => row.tags);
}

/** Whom a runner works for and what it may take; see `tagSets` of `tags.ts`. */
export interface Reach {
  runner: RunnerRow;
  tagSets: readonly string[];
}

/** The job that has waited longest. */
export async function oldestJob(db: Queryable, reach: Reach): Promise<number | undefined> {
  const row = await waitingFor(db, reach).select('jobs.id').orderBy('jobs.id').limit(1).executeTakeFirst();
  return row?.id;
}

export interface ProjectQueue {
  projectId: number;
  /** Its oldest job. */
  jobId: number;
}

/** Of each project the job that has waited longest. */
export async function oldestJobs(db: Queryable, reach: Reach): Promise<ProjectQueue[]> {
  const rows = await waitingFor(db, reach)
    .select((eb) => ['jobs.project_id as projectId', eb.fn.min('jobs.id').as('jobId')])
    .groupBy('jobs.project_id')
    .execute();
  return rows.map(({ projectId, jobId }) => ({ projectId, jobId: Number(jobId) }));
}

/** How many jobs instance runners have under way, by project. */
export async function sharedRunning(db: Queryable): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('jobs')
    .innerJoin('job_runs', 'job_runs.job_id', 'jobs.id')
    .select((eb) => ['jobs.project_id as projectId', eb.fn.countAll<number>().as('count')])
    .where(isRunning)
    .where('job_runs.shared', '=', 1)
    .groupBy('jobs.project_id')
    .execute();
  return new Map(rows.map(({ projectId, count }) => [projectId, Number(count)]));
}

const waitingFor = (db: Queryable, { runner, tagSets }: Reach) =>
  db
    .selectFrom('jobs')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .where(isWaiting)
    .where(isFree)
    .where('jobs.tags', 'in', [...tagSets])
    .where(covers(runner))
    .where(isNotSet('"builds_access_level":"disabled"'))
    .$if(runner.access_level === 'ref_protected', (query) => query.where('jobs.protected', '=', 1));

/** Which projects a runner works for, over `projects` and `namespaces`. */
function covers(runner: RunnerRow): Expression<SqlBool> {
  switch (runner.runner_type) {
    case 'instance_type':
      return isNotSet('"shared_runners_enabled":false');
    case 'group_type':
      return sql<SqlBool>`(${isNotSet('"group_runners_enabled":false')} and namespaces.traversal like
        (select own.traversal from namespaces as own where own.id = ${runner.namespace_id}) || '%')`;
    case 'project_type':
      return sql<SqlBool>`projects.id in
        (select project_id from runner_projects where runner_id = ${runner.id})`;
  }
}

/** Settings hold only what differs from the defaults, as JSON: a quote inside a text of theirs is escaped and never looks like this. */
const isNotSet = (pair: string): Expression<SqlBool> =>
  sql<SqlBool>`projects.settings not like ${`%${pair}%`}`;

/** What decides who may take a job, for those that wait for one. */
export interface OfferedJob {
  id: number;
  tags: string;
  isProtected: boolean;
  projectId: number;
  settings: string;
  /** Of the project's namespace. */
  traversal: string;
}

/** The job while it waits; undefined once it does not. */
export async function offeredJob(db: Queryable, jobId: number): Promise<OfferedJob | undefined> {
  const row = await db
    .selectFrom('jobs')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['jobs.id', 'jobs.tags', 'jobs.protected', 'jobs.project_id as projectId'])
    .select(['projects.settings', 'namespaces.traversal'])
    .where('jobs.id', '=', jobId)
    .where(isWaiting)
    .where(isFree)
    .executeTakeFirst();
  if (!row) return undefined;
  const { protected: flag, ...offered } = row;
  return { ...offered, isProtected: flag === 1 };
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
export async function jobToTake(db: Queryable, jobId: number) {
  return db
    .selectFrom('jobs')
    .innerJoin('job_definitions as told', 'told.job_id', 'jobs.id')
    .selectAll('jobs')
    .select(['told.definition', 'told.variables'])
    .where('jobs.id', '=', jobId)
    .executeTakeFirst();
}

/** Writes who has the job while it is `pending` still. */
export function noteTaker(tx: Tx, job: Pick<JobRow, 'id'>, changes: Updateable<JobsTable>): Promise<JobRow> {
  return tx
    .updateTable('jobs')
    .set(changes)
    .where('id', '=', job.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
