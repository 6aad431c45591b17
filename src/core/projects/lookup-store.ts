import { sql } from 'kysely';
import { type PreparedQuery, prepared } from '../../platform/db/prepared.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { ProjectFinder, ProjectWithNamespace } from './find.ts';
import { findRedirect, projectRows } from './store.ts';

/** Looks up the project of every call by statements composed once. Old paths are rare and are not. */
export class ProjectLookup implements ProjectFinder {
  readonly #db: Db;
  readonly #byId: PreparedQuery<{ id: number }, ProjectWithNamespace>;
  readonly #byPath: PreparedQuery<{ path: string }, ProjectWithNamespace>;

  constructor(db: Db) {
    this.#db = db;
    this.#byId = prepared(db, (from, at: { id: number }) =>
      projectRows(from).where('projects.id', '=', at.id),
    );
    this.#byPath = prepared(db, (from, at: { path: string }) =>
      projectRows(from).where(sql`lower(projects.full_path)`, '=', at.path),
    );
  }

  async byId(id: number): Promise<ProjectWithNamespace | undefined> {
    const [project] = await this.#byId({ id });
    return project;
  }

  async byPath(path: string): Promise<ProjectWithNamespace | undefined> {
    const [project] = await this.#byPath({ path: path.toLowerCase() });
    return project;
  }

  byOldPath(path: string): Promise<ProjectWithNamespace | undefined> {
    return findRedirect(this.#db, path);
  }
}
