import assert from 'node:assert/strict';
import type { Core } from '../../src/core/core.ts';
import { summaryOf } from '../../src/jobs/pipelines/status.ts';
import { processPipeline } from '../../src/jobs/processing/process-pipeline.ts';
import { isComplete } from '../../src/jobs/states.ts';
import type { JobRow } from '../../src/jobs/tables.ts';

/** What holds of every pipeline between two transactions, whatever has happened to it; throws what does not. */
export async function assertSound(core: Core, pipelineId: number): Promise<void> {
  const jobs = await jobsOf(core, pipelineId);
  const current = jobs.filter(({ retried }) => retried === 0);
  for (const name of new Set(jobs.map((job) => job.name))) {
    const newest = jobs.filter((job) => job.name === name).at(-1);
    const standing = current.filter((job) => job.name === name);
    assert.deepEqual(
      standing.map(({ id }) => id),
      [newest?.id],
      `one job stands for ${name}`,
    );
  }
  for (const job of jobs) assertJobSound(job);
  const { status } = await core.db
    .selectFrom('pipelines')
    .select('status')
    .where('id', '=', pipelineId)
    .executeTakeFirstOrThrow();
  const summary = summaryOf(
    current.map((job) => ({ status: job.status, allowFailure: job.allow_failure === 1 })),
  );
  assert.equal(status, summary, 'the pipeline says what its jobs come to');
  await assertNothingForgotten(core, pipelineId);
  await assertTokens(core, jobs);
}

export function jobsOf(core: Core, pipelineId: number): Promise<JobRow[]> {
  return core.db.selectFrom('jobs').selectAll().where('pipeline_id', '=', pipelineId).orderBy('id').execute();
}

function assertJobSound(job: JobRow): void {
  const ended = isComplete(job.status) && job.status !== 'skipped';
  assert.equal(job.finished_at !== null, ended, `${job.name} is ${job.status}`);
  if (job.status === 'running') assert.ok(job.started_at !== null && job.runner_id !== null);
  assert.equal(job.failure_reason !== null, job.status === 'failed', `${job.name} is ${job.status}`);
  if (job.retried === 1)
    assert.ok(
      isComplete(job.status) || job.status === 'canceling',
      `${job.name} was begun again while it went on`,
    );
}

/** Whatever may proceed has: to process it once more changes nothing. */
async function assertNothingForgotten(core: Core, pipelineId: number): Promise<void> {
  const states = async () => (await jobsOf(core, pipelineId)).map(({ id, status }) => `${id} ${status}`);
  const before = await states();
  await core.database.transaction((tx) => processPipeline(tx, core, pipelineId));
  assert.deepEqual(await states(), before);
}

/** Nobody acts in the name of a job that has ended. */
async function assertTokens(core: Core, jobs: JobRow[]): Promise<void> {
  const ended = jobs.filter(({ status }) => isComplete(status)).map(({ id }) => id);
  if (ended.length === 0) return;
  const query = core.db.selectFrom('job_tokens').select('job_id').where('job_id', 'in', ended);
  assert.deepEqual(await query.execute(), []);
}
