import type { Database } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { lockPipelineOf } from '../pipelines/store.ts';
import type { JobRow, PipelineRow } from '../tables.ts';
import { findJobById } from './store.ts';

/**
 * The job as it is once its pipeline is locked: nobody else moves it until the transaction ends. Undefined when it, or its
 * pipeline, is gone.
 */
export async function lockJob(tx: Tx, jobId: number): Promise<JobRow | undefined> {
  return (await lockJobAndPipeline(tx, jobId))?.job;
}

/** The same, with the pipeline's row. */
export async function lockJobAndPipeline(
  tx: Tx,
  jobId: number,
): Promise<{ job: JobRow; pipeline: PipelineRow } | undefined> {
  const pipeline = await lockPipelineOf(tx, jobId);
  const job = pipeline && (await findJobById(tx, jobId));
  return job && { job, pipeline };
}

/** Runs `work` with the locked job in a transaction of its own; undefined when the job is gone. */
export function withJob<T>(
  database: Database,
  jobId: number,
  work: (tx: Tx, job: JobRow) => Promise<T>,
): Promise<T | undefined> {
  // the lock settles every race; those who come together wait for it rather than fail
  return database.transaction(
    async (tx) => {
      const job = await lockJob(tx, jobId);
      return job && work(tx, job);
    },
    { isolation: 'read committed' },
  );
}
