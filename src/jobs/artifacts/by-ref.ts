import type { Db } from '../../platform/db/tables.ts';
import type { JobRow } from '../tables.ts';
import { childPipelines, jobWithArchive, successfulPipelines } from './by-ref-store.ts';

/** How far GitLab looks back when it is asked to. */
const RECENT = 100;
/** Children may have children; GitLab allows two levels. */
const LEVELS = 2;

export interface JobByRef {
  projectId: number;
  ref: string;
  name: string;
  /** Whether older pipelines count where the newest one has no such job. */
  lookBack: boolean;
}

/** The job of that name with an archive in the newest successful pipeline of a branch or tag, or in the children of that one. */
export async function findJobByRef(
  db: Db,
  { projectId, ref, name, lookBack }: JobByRef,
): Promise<JobRow | null> {
  const limit = lookBack ? RECENT : 1;
  for (const pipelineId of await successfulPipelines(db, { projectId, ref, limit })) {
    const found = await inFamily(db, { projectId, pipelineId, name });
    if (found) return found;
  }
  return null;
}

async function inFamily(
  db: Db,
  { projectId, pipelineId, name }: { projectId: number; pipelineId: number; name: string },
): Promise<JobRow | null> {
  let generation = [pipelineId];
  for (let level = 0; level <= LEVELS && generation.length > 0; level++) {
    const found = await jobWithArchive(db, generation, name);
    if (found) return found;
    generation = await childPipelines(db, projectId, generation);
  }
  return null;
}

/** More occurrences of `/raw/` than any path has are not tried. */
const MAX_SPLITS = 20;

/**
 * How `REF/raw/PATH` may be read where both may hold slashes and the word itself: the longest ref first, as GitLab's pattern is greedy.
 */
export function refAndPath(text: string): { ref: string; path: string }[] {
  const splits: { ref: string; path: string }[] = [];
  for (
    let at = text.lastIndexOf('/raw/');
    at > 0 && splits.length < MAX_SPLITS;
    at = text.lastIndexOf('/raw/', at - 1)
  ) {
    splits.push({ ref: text.slice(0, at), path: text.slice(at + '/raw/'.length) });
  }
  return splits;
}
