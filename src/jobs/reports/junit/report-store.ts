import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/tables.ts';
import type { ArtifactRow } from '../../artifacts/tables.ts';

export type ReportRow = Pick<ArtifactRow, 'id' | 'size' | 'job_id'> & { name: string };

/** The JUnit reports of a pipeline's current jobs, with the names of the jobs, in the order of those. */
export function junitReportsOf(db: Queryable, pipelineId: number): Promise<ReportRow[]> {
  return db
    .selectFrom('job_artifacts')
    .innerJoin('jobs', 'jobs.id', 'job_artifacts.job_id')
    .select(['job_artifacts.id', 'job_artifacts.size', 'job_artifacts.job_id', 'jobs.name'])
    .where('job_artifacts.pipeline_id', '=', pipelineId)
    .where('job_artifacts.file_type', '=', 'junit')
    .where('job_artifacts.state', '=', sql.lit('stored'))
    .where('jobs.retried', '=', 0)
    .orderBy('jobs.id')
    .execute();
}
