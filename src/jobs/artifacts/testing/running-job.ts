import type { Core } from '../../../core/core.ts';
import { issueJobToken } from '../../../core/tokens/job-tokens.ts';
import { tokenHash } from '../../../core/tokens/secret.ts';
import type { NewPipeline } from '../../pipelines/pipelines.ts';
import { finishJob } from '../../processing/finish-job.ts';
import { type JobSpec, type SeededPipeline, seedPipeline } from '../../processing/testing.ts';
import { insertJobRun } from '../../runners/job-runs-store.ts';
import type { JobRow } from '../../tables.ts';

export interface RunningJob {
  pipeline: SeededPipeline;
  job: JobRow;
  /** Of the job, as its runner has it. */
  token: string;
}

/** A job of a pipeline as a runner has it, without one. */
export async function takeJob(core: Core, pipeline: SeededPipeline, name: string): Promise<RunningJob> {
  const job = await pipeline.run(name);
  const token = await core.database.transaction(async (tx) => {
    const owner = { jobId: job.id, userId: job.user_id ?? 1, projectId: job.project_id };
    const issued = await issueJobToken(tx, owner, core.clock.now());
    await insertJobRun(tx, { job_id: job.id, token_hash: tokenHash(issued), unconfirmed_since: null });
    return issued;
  });
  return { pipeline, job, token };
}

/** The only job of a pipeline of its own. */
export async function seedJob(
  core: Core,
  project: { id: number },
  { name = 'build', ...spec }: JobSpec & { name?: string } = {},
  pipeline: Partial<NewPipeline> = {},
): Promise<RunningJob> {
  return takeJob(core, await seedPipeline(core, project, { [name]: spec }, pipeline), name);
}

/** As its runner ends it, with all that follows. */
export async function endJob(
  core: Core,
  jobId: number,
  status: 'success' | 'failed' = 'success',
): Promise<void> {
  await core.database.transaction((tx) => finishJob(tx, core, jobId, { status }));
  await core.events.idle();
}
