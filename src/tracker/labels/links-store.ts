import { sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { LabelRow } from './tables.ts';

/** Which labels are on what. */

export type Labelled = 'issue' | 'merge_request';

export interface LabelChange {
  added: number[];
  removed: number[];
}

/** Labels by the thing they are on, in alphabetical order. */
export async function loadLabels(
  db: Queryable,
  kind: Labelled,
  ids: readonly number[],
): Promise<Map<number, LabelRow[]>> {
  const result = new Map<number, LabelRow[]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return result;
  const { rows } = await sql<LabelRow & { on_id: number }>`
    select ${onId(kind)} as on_id, labels.* from ${links(kind)} join labels on labels.id = label_id
    where ${onId(kind)} in (${sql.join(ids)}) order by labels.name, labels.id`.execute(db);
  for (const { on_id, ...label } of rows) result.get(on_id)?.push(label);
  return result;
}

/** Only names, by the thing they are on, in alphabetical order. */
export async function loadLabelNames(
  db: Queryable,
  kind: Labelled,
  ids: readonly number[],
): Promise<Map<number, string[]>> {
  const labels = await loadLabels(db, kind, ids);
  return new Map([...labels].map(([id, rows]) => [id, rows.map(({ name }) => name)]));
}

export async function replaceLabels(
  tx: Tx,
  kind: Labelled,
  id: number,
  labelIds: readonly number[],
): Promise<LabelChange> {
  const { rows } = await sql<{ label_id: number }>`
    select label_id from ${links(kind)} where ${onId(kind)} = ${id}`.execute(tx);
  const before = rows.map((row) => row.label_id);
  const after = [...new Set(labelIds)];
  const removed = before.filter((labelId) => !after.includes(labelId));
  const added = after.filter((labelId) => !before.includes(labelId));
  if (removed.length > 0) {
    await sql`delete from ${links(kind)}
      where ${onId(kind)} = ${id} and label_id in (${sql.join(removed)})`.execute(tx);
  }
  if (added.length > 0) {
    const values = added.map((labelId) => sql`(${id}, ${labelId})`);
    await sql`insert into ${links(kind)} (${onId(kind)}, label_id) values ${sql.join(values)}
      on conflict do nothing`.execute(tx);
  }
  return { added, removed };
}

const links = (kind: Labelled) => sql.table(`${kind}_labels`);
const onId = (kind: Labelled) => sql.ref(`${kind}_id`);
