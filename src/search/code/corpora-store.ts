import type { Project } from '../../core/tables.ts';
import type { Queryable } from '../../platform/db/tables.ts';

/** What of a project's row says where its code is. */
export type CodeProject = Pick<Project, 'id' | 'storage_path' | 'default_branch'>;

const rows = (db: Queryable) =>
  db.selectFrom('projects').select(['projects.id', 'projects.storage_path', 'projects.default_branch']);

export const findCodeProject = (db: Queryable, id: number): Promise<CodeProject | undefined> =>
  rows(db).where('projects.id', '=', id).executeTakeFirst();

/** Every project in the order of ids, a page at a time. */
export const codeProjectsAfter = (db: Queryable, id: number, limit: number): Promise<CodeProject[]> =>
  rows(db).where('projects.id', '>', id).orderBy('projects.id').limit(limit).execute();
