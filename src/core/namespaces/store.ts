import { type Insertable, type SqlBool, sql } from 'kysely';
import { escapeLike } from '../../platform/db/like.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { Namespace, NamespacesTable } from '../tables.ts';

export function findNamespaceById(db: Queryable, id: number): Promise<Namespace | undefined> {
  return db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findNamespaceByPath(db: Queryable, path: string): Promise<Namespace | undefined> {
  return db
    .selectFrom('namespaces')
    .selectAll()
    .where(sql`lower(full_path)`, '=', path.toLowerCase())
    .executeTakeFirst();
}

export async function insertNamespace(tx: Tx, values: Insertable<NamespacesTable>): Promise<number> {
  const row = await tx.insertInto('namespaces').values(values).returning('id').executeTakeFirstOrThrow();
  return row.id;
}

/** The traversal holds the row's own id, so it is set right after the insert, in the same transaction. */
export async function setTraversal(tx: Tx, id: number, traversal: string): Promise<void> {
  await tx.updateTable('namespaces').set({ traversal }).where('id', '=', id).execute();
}

/** A person's own namespace. */
export function findPersonalNamespace(db: Queryable, userId: number): Promise<Namespace | undefined> {
  return db
    .selectFrom('namespaces')
    .selectAll()
    .where('owner_id', '=', userId)
    .where('kind', '=', 'user')
    .executeTakeFirst();
}

export async function findNamespacesByIds(db: Queryable, ids: number[]): Promise<Map<number, Namespace>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether a full path is in use by any namespace or project other than the given ones. */
export async function isPathTaken(
  db: Queryable,
  fullPath: string,
  except: { namespaceId?: number; projectId?: number } = {},
): Promise<boolean> {
  const path = fullPath.toLowerCase();
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where(sql`lower(full_path)`, '=', path)
    .where('id', '!=', except.namespaceId ?? 0)
    .unionAll(
      db
        .selectFrom('projects')
        .select('id')
        .where(sql`lower(full_path)`, '=', path)
        .where('id', '!=', except.projectId ?? 0),
    )
    .execute();
  return rows.length > 0;
}

/** Full paths of namespaces and projects that begin so, in lower case. */
export async function pathsBeside(db: Queryable, prefix: string): Promise<string[]> {
  const pattern = `${escapeLike(prefix.toLowerCase())}%`;
  const begins = sql<SqlBool>`lower(full_path) like ${pattern} escape '\\'`;
  const path = sql<string>`lower(full_path)`.as('path');
  const rows = await db
    .selectFrom('namespaces')
    .select(path)
    .where(begins)
    .unionAll(db.selectFrom('projects').select(path).where(begins))
    .execute();
  return rows.map((row) => row.path);
}
