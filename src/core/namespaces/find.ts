import type { Queryable } from '../../platform/db/tables.ts';
import type { Namespace } from '../tables.ts';
import { findNamespaceById, findNamespaceByPath } from './store.ts';

/** A group by `:id`: digits are an id, else the full path in any case. Old paths are not followed, as in GitLab. */
export async function findGroup(db: Queryable, reference: string): Promise<Namespace | null> {
  const found = await findNamespace(db, reference);
  return found?.kind === 'group' ? found : null;
}

export async function findNamespace(db: Queryable, reference: string): Promise<Namespace | undefined> {
  return /^\d{1,15}$/.test(reference)
    ? findNamespaceById(db, Number(reference))
    : findNamespaceByPath(db, reference);
}
