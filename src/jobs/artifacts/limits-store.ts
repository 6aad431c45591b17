import { composed } from '../../platform/db/prepared.ts';
import type { Queryable } from '../../platform/db/tables.ts';

/** Settings of these groups, by id. */
export async function settingsOfGroups(db: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await settingsOf(db, Object.fromEntries(ids.entries()));
  return new Map(rows.map(({ id, settings }) => [id, settings]));
}

const settingsOf = composed((db, ids: Record<string, number>) =>
  db.selectFrom('namespaces').select(['id', 'settings']).where('id', 'in', Object.values(ids)),
);
