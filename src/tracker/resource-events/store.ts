import type { Insertable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { LabelRow } from '../labels/tables.ts';
import type { ResourceEventKind, ResourceEventRow, ResourceEventsTable, ResourceType } from './tables.ts';
import '../labels/tables.ts';

/** The history of one kind of one thing. */
export interface History {
  kind: ResourceEventKind;
  type: ResourceType;
  id: number;
}

export async function insertResourceEvents(
  tx: Tx,
  rows: readonly Insertable<ResourceEventsTable>[],
): Promise<void> {
  if (rows.length > 0) await tx.insertInto('resource_events').values(rows).execute();
}

/** The oldest first. */
export function listResourceEvents(
  db: Queryable,
  history: History,
  { limit, offset }: { limit: number; offset: number },
): Promise<ResourceEventRow[]> {
  return of(db, history).selectAll().orderBy('id').limit(limit).offset(offset).execute();
}

export async function countResourceEvents(db: Queryable, history: History): Promise<number> {
  const { count } = await of(db, history)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export function findResourceEvent(
  db: Queryable,
  history: History,
  id: number,
): Promise<ResourceEventRow | undefined> {
  return of(db, history).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whoever deletes an issue or a merge request calls this. */
export async function deleteResourceEvents(tx: Tx, type: ResourceType, id: number): Promise<void> {
  await tx
    .deleteFrom('resource_events')
    .where('resource_type', '=', type)
    .where('resource_id', '=', id)
    .execute();
}

/** By id. */
export async function loadLabelRows(db: Queryable, ids: readonly number[]): Promise<Map<number, LabelRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('labels').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

const of = (db: Queryable, { kind, type, id }: History) =>
  db
    .selectFrom('resource_events')
    .where('resource_type', '=', type)
    .where('resource_id', '=', id)
    .where('kind', '=', kind);
