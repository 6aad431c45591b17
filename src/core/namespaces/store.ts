import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';
import type { Namespace } from '../tables.ts';

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
