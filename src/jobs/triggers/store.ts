import type { Insertable, Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { PipelineTriggersTable, TriggerRow } from './tables.ts';

export function listTriggers(
  db: Queryable,
  projectId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<TriggerRow[]> {
  return db
    .selectFrom('pipeline_triggers')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countTriggers(db: Queryable, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('pipeline_triggers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function findTrigger(db: Queryable, projectId: number, id: number): Promise<TriggerRow | undefined> {
  return db
    .selectFrom('pipeline_triggers')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** A token is good in one project only. */
export function findTriggerByToken(
  db: Queryable,
  projectId: number,
  token: string,
): Promise<TriggerRow | undefined> {
  return db
    .selectFrom('pipeline_triggers')
    .selectAll()
    .where('token', '=', token)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

export function insertTrigger(tx: Tx, row: Insertable<PipelineTriggersTable>): Promise<TriggerRow> {
  return tx.insertInto('pipeline_triggers').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Undefined when it has been deleted meanwhile. */
export function updateTrigger(
  tx: Tx,
  id: number,
  changes: Updateable<PipelineTriggersTable>,
): Promise<TriggerRow | undefined> {
  return tx
    .updateTable('pipeline_triggers')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteTrigger(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('pipeline_triggers').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
