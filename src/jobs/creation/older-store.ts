import { type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { PipelineRow } from '../tables.ts';

/** Written out as in the migration: a statement with parameters there does not fit the index of those that are alive. */
const isAlive = sql<SqlBool>`status in ('created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'running', 'scheduled')`;

/** More than a branch ever has under way. */
const AT_ONCE = 100;

/** Pipelines of the same branch, begun by changes, for other commits, that may still do something. */
export function olderAlive(
  db: Queryable,
  { project_id: projectId, ref, sha, id }: PipelineRow,
): Promise<PipelineRow[]> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(isAlive)
    .where('ref', '=', ref)
    .where('sha', '!=', sha)
    .where('id', '<', id)
    .where('source', 'in', ['push', 'merge_request_event'])
    .orderBy('id')
    .limit(AT_ONCE)
    .execute();
}

/** Whether a job has begun that does not say that it may be cancelled. */
export async function hasBegunWhatMayNotStop(db: Queryable, pipelineId: number): Promise<boolean> {
  const found = await db
    .selectFrom('jobs')
    .select('id')
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', 0)
    .where('interruptible', '=', 0)
    .where('status', 'in', ['running', 'canceling', 'success', 'failed'])
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
