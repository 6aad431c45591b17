import type { Core } from '../../core/core.ts';
import type { Project } from '../../core/tables.ts';
import { findUser } from '../../core/users/store.ts';
import { presentPipeline } from '../entities.ts';
import type { JobStatus } from '../states.ts';
import { currentJobs } from '../statuses/store.ts';
import type { PipelineRow } from '../tables.ts';
import { averageCoverage } from './coverage.ts';

interface Presented {
  project: Pick<Project, 'full_path'>;
  baseUrl: string;
  pipeline: PipelineRow;
}

const UNWELL: readonly JobStatus[] = ['failed', 'canceled'];

/** The detail entity with what it takes from other rows. */
export async function present(core: Pick<Core, 'db'>, { project, baseUrl, pipeline }: Presented) {
  const user = pipeline.user_id === null ? undefined : await findUser(core.db, pipeline.user_id);
  const jobs = await currentJobs(core.db, pipeline.id);
  return presentPipeline(pipeline, {
    project,
    baseUrl,
    user,
    coverage: averageCoverage(jobs),
    warned: jobs.some((job) => job.allow_failure === 1 && UNWELL.includes(job.status)),
  });
}
