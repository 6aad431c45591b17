import { sql } from 'kysely';
import { belowSet } from '../../core/groups/store.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { carrySubscriptions } from '../subscriptions/store.ts';
import type { LabelRow } from './tables.ts';

/** Labels of this name in the projects of the group and of all groups below it. */
export function projectLabelsBelow(db: Queryable, groupId: number, name: string): Promise<LabelRow[]> {
  return db
    .selectFrom('labels')
    .innerJoin('projects', 'projects.id', 'labels.project_id')
    .selectAll('labels')
    .where('labels.name', '=', name)
    .where((eb) =>
      eb.or([
        eb('projects.namespace_id', '=', groupId),
        eb('projects.namespace_id', 'in', sql<number>`(${belowSet(groupId)})`),
      ]),
    )
    .orderBy('labels.id')
    .execute();
}

/** What carries one of them carries `into`; they are gone. */
export async function mergeLabels(tx: Tx, ids: readonly number[], into: number): Promise<void> {
  for (const kind of ['issue', 'merge_request'] as const) {
    const links = sql.table(`${kind}_labels`);
    const thing = sql.ref(`${kind}_id`);
    await sql`insert into ${links} (${thing}, label_id)
      select distinct ${thing}, cast(${into} as bigint) from ${links} where label_id in (${sql.join(ids)})
      on conflict do nothing`.execute(tx);
  }
  await sql`insert into label_priorities (project_id, label_id, priority)
    select project_id, cast(${into} as bigint), min(priority) from label_priorities
    where label_id in (${sql.join(ids)}) group by project_id
    on conflict do nothing`.execute(tx);
  await carrySubscriptions(tx, { from: ids, to: into });
  await tx.deleteFrom('labels').where('id', 'in', ids).execute();
}
