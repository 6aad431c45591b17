import type { Core } from '../../core/core.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import type { Project } from '../../core/tables.ts';
import { newestSuccesses } from './locked-store.ts';

/**
 * Whether artifacts outlast their expiry because they are the latest: those of the newest successful pipeline of a branch or tag, where the
 * project keeps them (`keep_latest_artifact`).
 */
export async function isLocked(
  { db }: Pick<Core, 'db'>,
  project: Pick<Project, 'id' | 'settings'>,
  pipelineId: number,
): Promise<boolean> {
  if (!projectSettings(project).keep_latest_artifact) return false;
  return (await newestSuccesses(db, [pipelineId])).has(pipelineId);
}
