import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { JobStatus } from '../states.ts';
import type { JobRow } from '../tables.ts';

/** Which jobs of a project; what is absent, null or empty does not narrow. Times in ms, both ends included. */
export interface JobFilter {
  projectId: number;
  statuses: readonly JobStatus[];
  name?: string | null | undefined;
  ref?: string | null | undefined;
  createdAfter?: number | null | undefined;
  createdBefore?: number | null | undefined;
}

export interface JobListing {
  /** Only jobs made before this one. */
  beforeId?: number | undefined;
  limit: number;
  offset: number;
}

/**
 * Newest first. Each filter stands on an index that ends in `id`, so that the order comes with it; several states are read
 * each by itself and merged, because no index has them in one order.
 */
export async function listJobs(
  db: Queryable,
  filter: JobFilter,
  { beforeId, limit, offset }: JobListing,
): Promise<JobRow[]> {
  const bounds = await idBounds(db, filter);
  const statuses: (JobStatus | null)[] = filter.statuses.length === 0 ? [null] : [...filter.statuses];
  const enough = limit + offset;
  const parts = statuses.map((status) => idsOf(db, filter, { status, beforeId, bounds }));
  const [first, ...others] = parts.map((part) => part.orderBy('id', 'desc').limit(enough));
  if (!first) return [];
  const merged = others.reduce(
    (sum, part) => sum.unionAll(db.selectFrom(part.as('part')).select('part.id')),
    db.selectFrom(first.as('part')).select('part.id'),
  );
  const ids = db
    .selectFrom(merged.as('found'))
    .select('found.id')
    .orderBy('found.id', 'desc')
    .limit(limit)
    .offset(offset);
  return db.selectFrom('jobs').selectAll().where('id', 'in', ids).orderBy('id', 'desc').execute();
}

interface IdBounds {
  above: number | null;
  below: number | null;
}

interface Part {
  status: JobStatus | null;
  beforeId: number | undefined;
  bounds: IdBounds;
}

function idsOf(db: Queryable, filter: JobFilter, { status, beforeId, bounds }: Part) {
  const { projectId, name, ref, createdAfter, createdBefore } = filter;
  let query = db
    .selectFrom('jobs')
    .select('id')
    .where('project_id', '=', projectId)
    .where('kind', '=', sql.lit('build'));
  if (status !== null) query = query.where('status', '=', status);
  if (name) query = query.where('name', '=', name);
  if (ref) query = query.where('ref', '=', ref);
  // `+ 0` keeps the index on the time out of it: its order is not the one of the page
  if (createdAfter != null) query = query.where(sql<number>`created_at + 0`, '>=', createdAfter);
  if (createdBefore != null) query = query.where(sql<number>`created_at + 0`, '<=', createdBefore);
  if (bounds.above !== null) query = query.where('id', '>', bounds.above);
  if (bounds.below !== null) query = query.where('id', '<', bounds.below);
  if (beforeId !== undefined) query = query.where('id', '<', beforeId);
  return query;
}

/** By how much the clocks of two processes, or the order of two commits, may differ at most. */
const SLACK_MS = 10 * 60_000;

/**
 * Between which ids the jobs of a time are: ids rise with time but for the slack, so that any index in the order of ids serves,
 * and what is read in vain is at most what the slack lets in.
 */
async function idBounds(
  db: Queryable,
  { projectId, createdAfter, createdBefore }: JobFilter,
): Promise<IdBounds> {
  const [above, below] = await Promise.all([
    createdAfter == null ? null : neighbour(db, projectId, '<', createdAfter - SLACK_MS),
    createdBefore == null ? null : neighbour(db, projectId, '>', createdBefore + SLACK_MS),
  ]);
  return { above, below };
}

async function neighbour(
  db: Queryable,
  projectId: number,
  side: '<' | '>',
  time: number,
): Promise<number | null> {
  const direction = side === '<' ? 'desc' : 'asc';
  const found = await db
    .selectFrom('jobs')
    .select('id')
    .where('project_id', '=', projectId)
    .where('kind', '=', sql.lit('build'))
    .where('created_at', side, time)
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(1)
    .executeTakeFirst();
  return found?.id ?? null;
}

export interface PipelineJobFilter {
  pipelineId: number;
  statuses: readonly JobStatus[];
  /** Also those that a newer one of their name stands for. */
  retried: boolean;
}

/** The same of one pipeline, where all of them are a few. */
export function listPipelineJobs(
  db: Queryable,
  filter: PipelineJobFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<JobRow[]> {
  return ofPipeline(db, filter).selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
}

export async function countPipelineJobs(db: Queryable, filter: PipelineJobFilter): Promise<number> {
  const { count } = await ofPipeline(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function ofPipeline(db: Queryable, { pipelineId, statuses, retried }: PipelineJobFilter) {
  let query = db
    .selectFrom('jobs')
    .where('pipeline_id', '=', pipelineId)
    .where('kind', '=', sql.lit('build'));
  if (statuses.length > 0) query = query.where('status', 'in', statuses);
  return retried ? query : query.where('retried', '=', 0);
}
