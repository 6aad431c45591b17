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

/** The three ways to a project. */
export interface ProjectFinder {
  byId(id: number): Promise<ProjectWithNamespace | undefined>;
  byPath(path: string): Promise<ProjectWithNamespace | undefined>;
  /** By a path that it had before. */
  byOldPath(path: string): Promise<ProjectWithNamespace | undefined>;
}

/**
 * Finds by `:id`: digits are an id, text with a slash a full path (any case, old paths too), anything else nothing, as
 * GitLab does.
 */
export async function findProjectBy(finder: ProjectFinder, reference: string): Promise<Found> {
  if (/^-?\d{1,15}$/.test(reference)) {
    const project = await finder.byId(Number(reference));
    return project ? { project, moved: false } : null;
  }
  if (!reference.includes('/')) return null;
  const project = await finder.byPath(reference);
  if (project) return { project, moved: false };
  const old = await finder.byOldPath(reference);
  return old ? { project: old, moved: true } : null;
}

export const findProject = (db: Queryable, reference: string): Promise<Found> =>
  findProjectBy(
    {
      byId: (id) => findProjectById(db, id),
      byPath: (path) => findProjectByPath(db, path),
      byOldPath: (path) => findRedirect(db, path),
    },
    reference,
  );
