import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { JobRow } from '../tables.ts';

/** Ids of the newest successful pipelines of a branch or tag, those of bridges left out. */
export async function successfulPipelines(
  db: Queryable,
  { projectId, ref, limit }: { projectId: number; ref: string; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('status', '=', sql.lit('success'))
    .where('source', '<>', 'parent_pipeline')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** The pipelines of the same project that bridges of these have begun. */
export async function childPipelines(
  db: Queryable,
  projectId: number,
  pipelineIds: readonly number[],
): Promise<number[]> {
  if (pipelineIds.length === 0) return [];
  // Not joined: SQLite would begin with all pipelines of the project.
  const begun = await db
    .selectFrom('pipeline_sources')
    .select('pipeline_id')
    .where('source_pipeline_id', 'in', [...pipelineIds])
    .execute();
  if (begun.length === 0) return [];
  const ids = begun.map(({ pipeline_id }) => pipeline_id);
  const rows = await db
    .selectFrom('pipelines')
    .select('id')
    .where('id', 'in', ids)
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** The newest job of that name in these pipelines that has succeeded and has an archive. */
export function jobWithArchive(
  db: Queryable,
  pipelineIds: readonly number[],
  name: string,
): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .innerJoin('job_artifacts', 'job_artifacts.job_id', 'jobs.id')
    .selectAll('jobs')
    .where('jobs.pipeline_id', 'in', [...pipelineIds])
    .where('jobs.name', '=', name)
    .where('jobs.kind', '=', 'build')
    .where('jobs.retried', '=', 0)
    .where('jobs.status', '=', 'success')
    .where('job_artifacts.file_type', '=', 'archive')
    .where('job_artifacts.state', '=', sql.lit('stored'))
    .orderBy('jobs.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
