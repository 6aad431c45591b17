import { type Insertable, sql } from 'kysely';
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
