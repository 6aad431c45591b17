import { traversalIds } from '../../core/access/store.ts';
import type { Core } from '../../core/core.ts';
import { groupSettings } from '../../core/groups/settings.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import { findProjectById } from '../../core/projects/store.ts';
import type { JobLimit } from '../../core/settings/job-limits.ts';
import { settingsOfGroups } from './limits-store.ts';

const MEGABYTE = 1024 * 1024;

/** How much one job of the project may store, in bytes: what the project says, else the nearest group above, else the instance. */
export async function byteLimit(
  { db, settings }: Pick<Core, 'db' | 'settings'>,
  projectId: number,
  limit: JobLimit,
): Promise<number> {
  const project = await findProjectById(db, projectId);
  const own = project && projectSettings(project)[limit];
  const inherited = project && own == null ? await ofGroups(db, project.traversal, limit) : null;
  return (own ?? inherited ?? (await settings.get(limit))) * MEGABYTE;
}

async function ofGroups(db: Core['db'], traversal: string, limit: JobLimit): Promise<number | null> {
  const ids = traversalIds(traversal);
  const stored = await settingsOfGroups(db, ids);
  for (const id of ids.toReversed()) {
    const value = groupSettings({ settings: stored.get(id) ?? '{}' })[limit];
    if (value !== null) return value;
  }
  return null;
}

/** `100 MB`, for messages. */
export const megabytesText = (bytes: number): string => `${Math.round(bytes / MEGABYTE)} MB`;
