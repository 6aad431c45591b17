import type { Queryable } from '../../platform/db/tables.ts';
import type { Project } from '../tables.ts';
import { findProjectById, findProjectByPath, findRedirect } from './store.ts';

/** A project with what its namespace adds to every access decision. */
export interface ProjectWithNamespace extends Project {
  namespace_kind: 'user' | 'group';
  namespace_owner_id: number | null;
  traversal: string;
}

export type Found =
  | { project: ProjectWithNamespace; moved: false }
  /** Found by a path that it had before; reads are redirected. */
  | { project: ProjectWithNamespace; moved: true }
  | null;

/**
 * Finds by `:id`: digits are an id, text with a slash a full path (any case, old paths too), anything else nothing, as
 * GitLab does.
 */
export async function findProject(db: Queryable, reference: string): Promise<Found> {
  if (/^-?\d{1,15}$/.test(reference)) {
    const project = await findProjectById(db, Number(reference));
    return project ? { project, moved: false } : null;
  }
  if (!reference.includes('/')) return null;
  const project = await findProjectByPath(db, reference);
  if (project) return { project, moved: false };
  const old = await findRedirect(db, reference);
  return old ? { project: old, moved: true } : null;
}
