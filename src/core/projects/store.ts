import { type Insertable, sql, type Updateable } from 'kysely';
import { composed } from '../../platform/db/prepared.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { ProjectsTable } from '../tables.ts';
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

export async function findProjectById(db: Queryable, id: number): Promise<ProjectWithNamespace | undefined> {
  return (await projectById(db, { id }))[0];
}

const projectById = composed((db, at: { id: number }) => projectRows(db).where('projects.id', '=', at.id));

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

export async function insertProject(tx: Tx, values: Insertable<ProjectsTable>): Promise<number> {
  const row = await tx.insertInto('projects').values(values).returning('id').executeTakeFirstOrThrow();
  return row.id;
}

export async function updateProjectRow(tx: Tx, id: number, values: Updateable<ProjectsTable>): Promise<void> {
  await tx.updateTable('projects').set(values).where('id', '=', id).execute();
}

export async function deleteProjectRow(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('projects').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function isNameTaken(
  db: Queryable,
  namespaceId: number,
  name: string,
  exceptId = 0,
): Promise<boolean> {
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', name)
    .where('id', '!=', exceptId)
    .executeTakeFirst();
  return row !== undefined;
}

/** How many projects a person has in his own namespace, and how many he may have. */
export async function countOwnProjects(
  db: Queryable,
  userId: number,
): Promise<{ limit: number; used: number }> {
  const row = await db
    .selectFrom('users')
    .select((eb) => [
      'projects_limit as limit',
      eb
        .selectFrom('projects')
        .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
        .select(eb.fn.countAll<number>().as('used'))
        .where('namespaces.owner_id', '=', userId)
        .as('used'),
    ])
    .where('id', '=', userId)
    .executeTakeFirst();
  return { limit: row?.limit ?? 0, used: Number(row?.used ?? 0) };
}

/** The old path leads to the project from now on. */
export async function insertRedirect(tx: Tx, path: string, projectId: number): Promise<void> {
  await tx
    .insertInto('project_redirects')
    .values({ path: path.toLowerCase(), project_id: projectId })
    .onConflict((conflict) => conflict.column('path').doUpdateSet({ project_id: projectId }))
    .execute();
}

/** For a path that is in use again. */
export async function deleteRedirect(tx: Tx, path: string): Promise<void> {
  await tx.deleteFrom('project_redirects').where('path', '=', path.toLowerCase()).execute();
}

export async function findProjectsByIds(db: Queryable, ids: number[]): Promise<ProjectWithNamespace[]> {
  if (ids.length === 0) return [];
  return projectRows(db).where('projects.id', 'in', ids).execute();
}

export async function countForks(db: Queryable, ids: number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('projects')
    .select((eb) => ['forked_from_id as id', eb.fn.countAll<number>().as('count')])
    .where('forked_from_id', 'in', ids)
    .groupBy('forked_from_id')
    .execute();
  return new Map(rows.map(({ id, count }) => [id!, Number(count)]));
}

export async function setOrigin(tx: Tx, projectId: number, originId: number | null): Promise<void> {
  await tx.updateTable('projects').set({ forked_from_id: originId }).where('id', '=', projectId).execute();
}
