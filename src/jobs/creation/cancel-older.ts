import type { Core } from '../../core/core.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { cancelPipeline } from '../pipelines/actions/act.ts';
import { findPipeline } from '../pipelines/store.ts';
import type { PipelineRow } from '../tables.ts';
import { hasBegunWhatMayNotStop, olderAlive } from './older-store.ts';

/** Begun by a change; what the clock or a person has asked for makes nothing needless. */
const BY_CHANGES: readonly string[] = ['push', 'merge_request_event'];

/**
 * Cancels older pipelines of the same branch for other commits, as far as each lets itself be cancelled by `workflow:auto_cancel`
 * and `interruptible`.
 */
export async function cancelOlder(core: Core, projectId: number, pipelineId: number): Promise<void> {
  const [project, pipeline] = await Promise.all([
    findProjectById(core.db, projectId),
    findPipeline(core.db, projectId, pipelineId),
  ]);
  if (!project || !pipeline || !BY_CHANGES.includes(pipeline.source)) return;
  if (projectSettings(project).auto_cancel_pending_pipelines !== 'enabled') return;
  for (const older of await olderAlive(core.db, pipeline)) await cancelOne(core, older);
}

async function cancelOne(core: Core, older: PipelineRow): Promise<void> {
  switch (older.auto_cancel) {
    case 'none':
      return;
    case 'interruptible':
      return cancelPipeline(core, older.id, { chosen: (job) => job.interruptible === 1 });
    case 'conservative':
      return cancelPipeline(core, older.id, {
        only: async (tx) => !(await hasBegunWhatMayNotStop(tx, older.id)),
      });
  }
}
