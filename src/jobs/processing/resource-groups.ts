import type { Core } from '../../core/core.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { refreshPipeline } from '../pipelines/pipelines.ts';
import { lockPipeline } from '../pipelines/store.ts';
import type { JobRow } from '../tables.ts';
import { isHeld, lockResourceGroup, nextInLine, processModeOf, type ResourceKey } from './resource-store.ts';
import { findJobById } from './store.ts';
import { type JobDeps, moveJob } from './transitions.ts';

/**
 * Of the jobs of a resource group at most one is under way, whatever pipelines they are in. Who waits is let in by whoever
 * lets go: his change of state publishes `resource_group.moved`, whose handler asks who is next. Lock order: the pipeline's
 * row, then the group's.
 */
export function keepResourcesMoving(core: Pick<Core, 'database' | 'events' | 'clock'>): void {
  core.events.subscribe('jobs.resources', ['resource_group.moved'], ({ payload }) =>
    passOn(core, { projectId: payload.projectId, key: payload.key }),
  );
}

/** A job that has just begun to wait goes on in the same transaction where nobody else is in its way. */
export async function grantAtOnce(tx: Tx, deps: JobDeps, job: JobRow): Promise<JobRow> {
  const key = keyOf(job);
  const group = await lockResourceGroup(tx, key, deps.clock.now());
  if (await isHeld(tx, key)) return job;
  const next = await nextInLine(tx, key, group.process_mode);
  return next?.id === job.id ? moveJob(tx, deps, job, 'pending') : job;
}

const keyOf = ({ project_id: projectId, resource_group: key }: JobRow): ResourceKey => ({
  projectId,
  key: key ?? '',
});

/** Lets the next of a group in if nobody is under way. Safe to run at any moment and again. */
export async function passOn(
  deps: Pick<Core, 'database' | 'events' | 'clock'>,
  key: ResourceKey,
): Promise<void> {
  while ((await letNextIn(deps, key)) === 'moved on') {
    // somebody else came to stand first between the look and the lock: look again
  }
}

function letNextIn(
  deps: Pick<Core, 'database' | 'events' | 'clock'>,
  key: ResourceKey,
): Promise<'settled' | 'moved on'> {
  return deps.database.transaction(
    async (tx) => {
      // looked at twice, because the pipeline must be locked before the group
      const expected = await nextInLine(tx, key, await processModeOf(tx, key));
      if (expected?.status !== 'waiting_for_resource') return 'settled';
      await lockPipeline(tx, expected.pipeline_id);
      const group = await lockResourceGroup(tx, key, deps.clock.now());
      if (await isHeld(tx, key)) return 'settled';
      const next = await nextInLine(tx, key, group.process_mode);
      if (next?.id !== expected.id) return 'moved on';
      const job = await findJobById(tx, next.id);
      if (!job) return 'moved on';
      await moveJob(tx, deps, job, 'pending');
      await refreshPipeline(tx, deps, job.pipeline_id);
      return 'settled';
    },
    { isolation: 'read committed' },
  );
}
