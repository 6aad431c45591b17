import { type SelectQueryBuilder, sql } from 'kysely';
import type { Queryable, Tables, Tx } from '../../platform/db/tables.ts';
import type { JobStatus } from '../states.ts';
import type { JobRow } from '../tables.ts';
import type { ProcessMode, ResourceGroupRow } from './tables.ts';

export interface ResourceKey {
  projectId: number;
  key: string;
}

/** In these a job has its resource. */
const HOLDING: readonly JobStatus[] = [
  'pending',
  'preparing',
  'waiting_for_callback',
  'running',
  'canceling',
];
/** Those that keep their place in a strict order also before they ask for it. */
const COMING: readonly JobStatus[] = ['created', 'scheduled', 'waiting_for_resource'];

/** The group's row, made where it is new; nobody else decides about the group until the transaction ends. */
export function lockResourceGroup(
  tx: Tx,
  { projectId, key }: ResourceKey,
  now: number,
): Promise<ResourceGroupRow> {
  return tx
    .insertInto('resource_groups')
    .values({ project_id: projectId, key, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'key']).doUpdateSet((eb) => ({ key: eb.ref('resource_groups.key') })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function processModeOf(db: Queryable, key: ResourceKey): Promise<ProcessMode> {
  return (await findResourceGroup(db, key))?.process_mode ?? 'unordered';
}

export async function isHeld(db: Queryable, key: ResourceKey): Promise<boolean> {
  const holder = await jobsOf(db, key)
    .select('id')
    .where('status', 'in', HOLDING)
    .limit(1)
    .executeTakeFirst();
  return holder !== undefined;
}

export interface InLine {
  id: number;
  pipeline_id: number;
  status: JobStatus;
}

/** Who is first; he need not be ready yet where the group keeps a strict order of pipelines. */
export function nextInLine(db: Queryable, key: ResourceKey, mode: ProcessMode): Promise<InLine | undefined> {
  const strict = mode === 'oldest_first' || mode === 'newest_first';
  const query = jobsOf(db, key)
    .select(['id', 'pipeline_id', 'status'])
    .where('status', 'in', strict ? COMING : ['waiting_for_resource']);
  return inOrder(query, mode).limit(1).executeTakeFirst();
}

function inOrder<O>(query: SelectQueryBuilder<Tables, 'jobs', O>, mode: ProcessMode) {
  if (mode === 'unordered') return query.orderBy('id');
  return query.orderBy('pipeline_id', mode === 'oldest_first' ? 'asc' : 'desc').orderBy('id');
}

/** Those that ask for the resource, in the order in which they will have it. */
export function waitingJobs(
  db: Queryable,
  key: ResourceKey,
  { mode, limit, offset }: { mode: ProcessMode; limit: number; offset: number },
): Promise<JobRow[]> {
  const query = jobsOf(db, key).selectAll().where('status', '=', sql.lit('waiting_for_resource'));
  return inOrder(query, mode).limit(limit).offset(offset).execute();
}

/** Who has the resource, bridges left out: they are no jobs to read. */
export function currentJob(db: Queryable, key: ResourceKey): Promise<JobRow | undefined> {
  return jobsOf(db, key)
    .selectAll()
    .where('kind', '=', sql.lit('build'))
    .where('status', 'in', HOLDING)
    .limit(1)
    .executeTakeFirst();
}

export function listResourceGroups(
  db: Queryable,
  projectId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<ResourceGroupRow[]> {
  return db
    .selectFrom('resource_groups')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('key')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countResourceGroups(db: Queryable, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('resource_groups')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return count;
}

export function findResourceGroup(
  db: Queryable,
  { projectId, key }: ResourceKey,
): Promise<ResourceGroupRow | undefined> {
  return db
    .selectFrom('resource_groups')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst();
}

export function setProcessMode(
  db: Queryable,
  id: number,
  { mode, now }: { mode: ProcessMode; now: number },
): Promise<ResourceGroupRow | undefined> {
  return db
    .updateTable('resource_groups')
    .set({ process_mode: mode, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

const jobsOf = (db: Queryable, { projectId, key }: ResourceKey) =>
  db.selectFrom('jobs').where('project_id', '=', projectId).where('resource_group', '=', key);
