import type { Core } from '../../core/core.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { readDefinition } from '../creation/stored-definition.ts';
import { finishJob } from '../processing/finish-job.ts';
import { lockJob } from '../processing/locked-job.ts';
import { processPipeline } from '../processing/process-pipeline.ts';
import { findDefinition } from '../processing/store.ts';
import { moveJob } from '../processing/transitions.ts';
import { isComplete, type JobStatus } from '../states.ts';
import type { JobRow } from '../tables.ts';

type Deps = Pick<Core, 'database' | 'events' | 'clock'>;

/** How the pipeline of a bridge stands, or stood when its event was written. */
export interface Downstream {
  status: JobStatus;
  /** Whether it could not begin at all. */
  isBroken: boolean;
  /** Whether it had ended before: somebody has retried it. */
  reopened: boolean;
}

/** Lets a bridge be as the pipeline that it began is; one that does not depend on it only has to have begun it. */
export async function settleBridge(deps: Deps, jobId: number, downstream: Downstream): Promise<void> {
  await deps.database.transaction(
    async (tx) => {
      const job = await lockJob(tx, jobId);
      if (job?.kind !== 'bridge' || job.retried === 1) return;
      const orders = await findDefinition(tx, job.id);
      const strategy = orders ? readDefinition(orders).trigger?.strategy : null;
      await follow(tx, deps, job, strategy ? downstream : begunBy(downstream));
    },
    { isolation: 'read committed' },
  );
}

/** What matters to a bridge that does not wait: whether there is a pipeline that can run. */
const begunBy = ({ isBroken }: Downstream): Downstream => ({
  status: isBroken ? 'failed' : 'success',
  isBroken,
  reopened: false,
});

async function follow(tx: Tx, deps: Deps, job: JobRow, downstream: Downstream): Promise<void> {
  const { status } = downstream;
  if (status === 'success') await finishJob(tx, deps, job.id, { status });
  else if (status === 'canceled') await cancel(tx, deps, job);
  else if (isComplete(status)) await finishJob(tx, deps, job.id, { status: 'failed' });
  else await resume(tx, deps, job, downstream);
}

async function cancel(tx: Tx, deps: Deps, job: JobRow): Promise<void> {
  const moved = await moveJob(tx, deps, job, 'canceled');
  if (moved.status !== job.status) await processPipeline(tx, deps, job.pipeline_id);
}

/** Where its pipeline was retried, what comes behind the bridge may still go well. One that somebody cancelled stays so. */
async function resume(tx: Tx, deps: Deps, job: JobRow, { reopened }: Downstream): Promise<void> {
  if (job.status === 'running' || (isComplete(job.status) && !reopened)) return;
  const waiting = isComplete(job.status) ? await moveJob(tx, deps, job, 'pending') : job;
  await moveJob(tx, deps, waiting, 'running');
  await processPipeline(tx, deps, job.pipeline_id);
}
