import { sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobKind, JobRow, PipelineRow } from '../tables.ts';

/** A job of the project; `kinds` says what counts as one. */
export function findJob(
  db: Queryable,
  { projectId, jobId, kinds = ['build'] }: { projectId: number; jobId: number; kinds?: readonly JobKind[] },
): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', jobId)
    .where('project_id', '=', projectId)
    .where('kind', 'in', kinds)
    .executeTakeFirst();
}

export async function pipelinesByIds(
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, PipelineRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('pipelines')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Which of these runners have a job under way. */
export async function busyRunners(db: Queryable, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('jobs')
    .select('runner_id')
    .distinct()
    .where('runner_id', 'in', [...ids])
    // written out, so that SQLite recognises the condition of the index that has none but these
    .where(sql<boolean>`kind = 'build' and status in ('running', 'canceling')`)
    .execute();
  return new Set(rows.flatMap(({ runner_id: id }) => id ?? []));
}

export function markErased(
  tx: Tx,
  jobId: number,
  { now, userId }: { now: number; userId: number },
): Promise<JobRow | undefined> {
  return tx
    .updateTable('jobs')
    .set({ erased_at: now, erased_by_id: userId, updated_at: now, artifacts_expire_at: null })
    .where('id', '=', jobId)
    .returningAll()
    .executeTakeFirst();
}
