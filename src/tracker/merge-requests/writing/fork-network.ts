import { findProjectById } from '../../../core/projects/store.ts';
import type { Project } from '../../../core/tables.ts';
import type { Queryable } from '../../../platform/db/tables.ts';

type Forked = Pick<Project, 'id' | 'forked_from_id'>;

/** A chain of forks longer than this is followed no further. */
const MAX_DEPTH = 50;

/** Whether both descend from one project, or one from the other: only those share history to merge. */
export async function isOneForkNetwork(db: Queryable, one: Forked, other: Forked): Promise<boolean> {
  if (one.forked_from_id === other.id || other.forked_from_id === one.id) return true;
  return (await rootOf(db, one)) === (await rootOf(db, other));
}

async function rootOf(db: Queryable, project: Forked): Promise<number> {
  let at = project;
  for (let depth = 0; at.forked_from_id !== null && depth < MAX_DEPTH; depth++) {
    const parent = await findProjectById(db, at.forked_from_id);
    if (!parent) break;
    at = parent;
  }
  return at.id;
}
