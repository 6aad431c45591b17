import { sql } from 'kysely';
import { belowSet } from '../../core/groups/store.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { MilestoneRow } from './tables.ts';

/** Milestones of this title in the projects of the group and of all groups below it. */
export function projectMilestonesBelow(
  db: Queryable,
  groupId: number,
  title: string,
): Promise<MilestoneRow[]> {
  return db
    .selectFrom('milestones')
    .innerJoin('projects', 'projects.id', 'milestones.project_id')
    .selectAll('milestones')
    .where('milestones.title', '=', title)
    .where((eb) =>
      eb.or([
        eb('projects.namespace_id', '=', groupId),
        eb('projects.namespace_id', 'in', sql<number>`(${belowSet(groupId)})`),
      ]),
    )
    .orderBy('milestones.id')
    .execute();
}

export function milestoneTitled(
  db: Queryable,
  groupId: number,
  title: string,
): Promise<MilestoneRow | undefined> {
  return db
    .selectFrom('milestones')
    .selectAll()
    .where('group_id', '=', groupId)
    .where('title', '=', title)
    .executeTakeFirst();
}

/** What had one of them has `into`; they are gone. */
export async function mergeMilestones(tx: Tx, ids: readonly number[], into: number): Promise<void> {
  await tx.updateTable('issues').set({ milestone_id: into }).where('milestone_id', 'in', ids).execute();
  await tx
    .updateTable('merge_requests')
    .set({ milestone_id: into })
    .where('milestone_id', 'in', ids)
    .execute();
  await tx.deleteFrom('milestones').where('id', 'in', ids).execute();
}
