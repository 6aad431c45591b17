import type { Core } from '../core/core.ts';
import type { Project } from '../core/tables.ts';
import { mergeRequestByMergeCommit } from '../tracker/merge-requests/commits-store.ts';

/** The merge request that the commit merged; null for an ordinary commit. */
export async function mergedBy(
  core: Core,
  project: Pick<Project, 'id'>,
  oid: string,
): Promise<{ iid: number } | null> {
  return (await mergeRequestByMergeCommit(core.db, project.id, oid)) ?? null;
}
