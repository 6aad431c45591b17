import type { Core } from '../../core/core.ts';
import { readDefinition } from '../creation/stored-definition.ts';
import { findDefinition, findJobById } from '../processing/store.ts';
import { isComplete } from '../states.ts';
import { coverageIn } from '../traces/coverage.ts';
import { forgetTracesOf } from '../traces/store.ts';
import type { Traces } from '../traces/traces.ts';
import { setCoverage } from './jobs-store.ts';
import { doomArtifactsOf } from './store.ts';
import '../events.ts';
import '../../core/events.ts';

/** Seals the log of each job that ends, with what it says of coverage; lets go of what deleted pipelines and projects have stored. */
export function followJobs(core: Core, { traces, wake }: { traces: Traces; wake: () => void }): void {
  core.events.subscribe(
    'job-files',
    ['job.updated', 'pipeline.deleted', 'project.deleted'],
    async (event) => {
      switch (event.type) {
        case 'job.updated': {
          const { jobId, status } = event.payload;
          if (!isComplete(status)) return;
          await noteCoverage(core, traces, jobId);
          await traces.seal(jobId);
          return;
        }
        case 'pipeline.deleted':
          await letGo(core, { pipelineId: event.payload.pipelineId });
          return wake();
        case 'project.deleted':
          await letGo(core, { projectId: event.payload.projectId });
          return wake();
      }
    },
    { wants: (event) => event.type !== 'job.updated' || isComplete(event.payload.status) },
  );
}

/** Before it is sealed: whoever looks for the coverage finds it with the log. A job that was given one keeps it. */
async function noteCoverage({ db }: Core, traces: Traces, jobId: number): Promise<void> {
  const [job, orders] = await Promise.all([findJobById(db, jobId), findDefinition(db, jobId)]);
  if (!job || job.coverage !== null || !orders) return;
  const { coverage: pattern } = readDefinition(orders);
  const value = pattern === null ? null : await coverageIn(() => traces.open(job), pattern);
  if (value !== null) await setCoverage(db, jobId, value);
}

async function letGo(
  { database }: Core,
  place: { pipelineId: number } | { projectId: number },
): Promise<void> {
  await database.transaction(async (tx) => {
    await doomArtifactsOf(tx, place);
    await forgetTracesOf(tx, place);
  });
}
