import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { ProjectWithNamespace } from './find.ts';

/** Projects joined with their namespaces: what every look-up and list starts from. */
export const projectRows = (db: Queryable) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('projects')
    .select([
      'namespaces.kind as namespace_kind',
      'namespaces.owner_id as namespace_owner_id',
      'namespaces.traversal as traversal',
    ]);

export function findProjectById(db: Queryable, id: number): Promise<ProjectWithNamespace | undefined> {
  return projectRows(db).where('projects.id', '=', id).executeTakeFirst();
}

export function findProjectByPath(db: Queryable, path: string): Promise<ProjectWithNamespace | undefined> {
  return projectRows(db).where(sql`lower(projects.full_path)`, '=', path.toLowerCase()).executeTakeFirst();
}

/** By a path that the project had before a rename or transfer. */
export function findRedirect(db: Queryable, path: string): Promise<ProjectWithNamespace | undefined> {
  return projectRows(db)
    .innerJoin('project_redirects', 'project_redirects.project_id', 'projects.id')
    .where('project_redirects.path', '=', path.toLowerCase())
    .executeTakeFirst();
}
