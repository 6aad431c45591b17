import { sql } from 'kysely';
import { composed } from '../../../platform/db/prepared.ts';
import type { Queryable } from '../../../platform/db/tables.ts';
import type { JobRow, PipelineRow } from '../../tables.ts';

const isBuild = sql<boolean>`jobs.kind = 'build'`;

/** Jobs of the pipeline's earlier stages that have ended and that no newer one stands for, in the order of their making. */
export const earlierJobs = (
  db: Queryable,
  job: Pick<JobRow, 'pipeline_id' | 'stage_idx'>,
): Promise<JobRow[]> => endedBefore(db, { pipelineId: job.pipeline_id, stage: job.stage_idx });

const endedBefore = composed((db, at: { pipelineId: number; stage: number }) =>
  db
    .selectFrom('jobs')
    .selectAll()
    .where('pipeline_id', '=', at.pipelineId)
    .where('retried', '=', 0)
    .where(isBuild)
    .where('stage_idx', '<', at.stage)
    .where('status', 'in', ['success', 'failed', 'canceled'])
    .orderBy('id'),
);

/** The same for what a job needs with its artifacts, wherever those jobs are in the pipeline. */
export function neededJobs(db: Queryable, job: Pick<JobRow, 'id' | 'pipeline_id'>): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll('jobs')
    .where('jobs.pipeline_id', '=', job.pipeline_id)
    .where('jobs.retried', '=', 0)
    .where(isBuild)
    .where('jobs.status', 'in', ['success', 'failed', 'canceled'])
    .where('jobs.name', 'in', (eb) =>
      eb
        .selectFrom('job_needs')
        .select('job_needs.name')
        .where('job_needs.job_id', '=', job.id)
        .where('job_needs.artifacts', '=', 1),
    )
    .orderBy('jobs.id')
    .execute();
}

/** The newest pipeline of a branch or tag that has succeeded, those of its children aside. */
export function newestSuccess(
  db: Queryable,
  projectId: number,
  ref: string,
): Promise<PipelineRow | undefined> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('status', '=', sql.lit('success'))
    .where('source', '<>', 'parent_pipeline')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The job of that name in a pipeline that has ended, the newest of them. */
export function endedJob(db: Queryable, pipelineId: number, name: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where('retried', '=', 0)
    .where(isBuild)
    .where('status', 'in', ['success', 'failed', 'canceled'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function findPipelineById(db: Queryable, id: number): Promise<PipelineRow | undefined> {
  return (await pipelineById(db, { id }))[0];
}

const pipelineById = composed((db, at: { id: number }) =>
  db.selectFrom('pipelines').selectAll().where('id', '=', at.id),
);
