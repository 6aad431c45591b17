import type { Insertable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { LabelsTable } from './tables.ts';

/** A project and the groups above it. */
export interface LabelScope {
  projectId: number;
  groupIds: readonly number[];
}

/** Ids by name. Where the project and a group have one of the same name it is the project's. */
export async function availableLabels(
  db: Queryable,
  { projectId, groupIds }: LabelScope,
  names: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('labels')
    .select(['id', 'name', 'project_id'])
    .where('name', 'in', names)
    .where((eb) => eb.or([eb('project_id', '=', projectId), eb('group_id', 'in', groupIds)]))
    .orderBy('id')
    .execute();
  const ofGroups = rows.filter((row) => row.project_id === null);
  const own = rows.filter((row) => row.project_id !== null);
  return new Map([...ofGroups, ...own].map(({ id, name }) => [name, id]));
}

/** Those that are there already, made meanwhile by another request, stay as they are. */
export async function insertLabelsOnce(tx: Tx, rows: readonly Insertable<LabelsTable>[]): Promise<void> {
  await tx
    .insertInto('labels')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .execute();
}
