import type { Insertable, Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { LabelRow, LabelsTable } from './tables.ts';

/** A project and the groups above it; a group alone has no project. */
export interface LabelScope {
  projectId: number | null;
  groupIds: readonly number[];
}

/** Those of these names, and the project's own before those of its groups. */
export async function labelsByName(
  db: Queryable,
  scope: LabelScope,
  names: readonly string[],
): Promise<Map<string, LabelRow>> {
  const rows = await within(db, scope).where('name', 'in', names).orderBy('id').execute();
  const ofGroups = rows.filter((row) => row.project_id === null);
  const own = rows.filter((row) => row.project_id !== null);
  return new Map([...ofGroups, ...own].map((row) => [row.name, row]));
}

/** By number or name, as addresses have it. */
export async function findLabel(
  db: Queryable,
  scope: LabelScope,
  reference: string,
): Promise<LabelRow | undefined> {
  const id = /^\d{1,15}$/.test(reference) ? Number(reference) : null;
  const byId = id === null ? undefined : await within(db, scope).where('id', '=', id).executeTakeFirst();
  return byId ?? (await labelsByName(db, scope, [reference])).get(reference);
}

const within = (db: Queryable, { projectId, groupIds }: LabelScope) =>
  db
    .selectFrom('labels')
    .selectAll()
    .where((eb) =>
      eb.or([
        ...(projectId === null ? [] : [eb('project_id', '=', projectId)]),
        ...(groupIds.length === 0 ? [] : [eb('group_id', 'in', groupIds)]),
      ]),
    );

/** Those that are there already, made meanwhile by another request, stay as they are. */
export async function insertLabelsOnce(
  tx: Tx,
  rows: readonly Insertable<LabelsTable>[],
): Promise<LabelRow[]> {
  return tx
    .insertInto('labels')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute();
}

export async function updateLabelRow(
  tx: Tx,
  id: number,
  changes: Updateable<LabelsTable>,
): Promise<LabelRow | undefined> {
  return tx.updateTable('labels').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

/** False when it is gone already. */
export async function deleteLabelRow(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('labels').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function loadPriorities(
  db: Queryable,
  projectId: number,
  labelIds: readonly number[],
): Promise<Map<number, number>> {
  if (labelIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('label_priorities')
    .select(['label_id', 'priority'])
    .where('project_id', '=', projectId)
    .where('label_id', 'in', labelIds)
    .execute();
  return new Map(rows.map((row) => [row.label_id, row.priority]));
}

export async function setPriority(
  tx: Tx,
  label: { project_id: number; label_id: number },
  priority: number | null,
): Promise<void> {
  if (priority === null) {
    await tx
      .deleteFrom('label_priorities')
      .where('project_id', '=', label.project_id)
      .where('label_id', '=', label.label_id)
      .execute();
    return;
  }
  await tx
    .insertInto('label_priorities')
    .values({ ...label, priority })
    .onConflict((conflict) => conflict.columns(['project_id', 'label_id']).doUpdateSet({ priority }))
    .execute();
}
