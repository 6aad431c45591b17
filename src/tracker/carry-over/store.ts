import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { LabelRow } from '../labels/tables.ts';
import type { MilestoneRow } from '../milestones/tables.ts';
import { carrySubscriptions } from '../subscriptions/store.ts';

const KINDS = ['issue', 'merge_request'] as const;

/** Where something of a group counts: in the project, unless the group is above it. */
export interface Home {
  projectId: number;
  groupIds: readonly number[];
}

/** Labels of groups that are not above the project, on its issues and merge requests. */
export async function foreignLabels(db: Queryable, { projectId, groupIds }: Home): Promise<LabelRow[]> {
  const used = KINDS.map(
    (kind) => sql`select label_id from ${sql.table(`${kind}_labels`)}
      join ${things(kind)} on ${things(kind)}.id = ${sql.ref(`${kind}_id`)}
      where ${things(kind)}.project_id = ${projectId}`,
  );
  const { rows } = await sql<LabelRow>`select * from labels
    where group_id is not null and group_id not in (${sql.join(groupIds)})
      and id in (${sql.join(used, sql` union `)}) order by id`.execute(db);
  return rows;
}

/** The same of milestones. */
export async function foreignMilestones(
  db: Queryable,
  { projectId, groupIds }: Home,
): Promise<MilestoneRow[]> {
  const used = KINDS.map(
    (kind) => sql`select milestone_id from ${things(kind)} where project_id = ${projectId}`,
  );
  const { rows } = await sql<MilestoneRow>`select * from milestones
    where group_id is not null and group_id not in (${sql.join(groupIds)})
      and id in (${sql.join(used, sql` union `)}) order by id`.execute(db);
  return rows;
}

/** What of the project carries the one label carries the other instead. */
export async function exchangeLabel(
  tx: Tx,
  projectId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  for (const kind of KINDS) {
    const links = sql.table(`${kind}_labels`);
    const id = sql.ref(`${kind}_id`);
    const here = sql`label_id = ${from}
      and ${id} in (select id from ${things(kind)} where project_id = ${projectId})`;
    await sql`insert into ${links} (${id}, label_id)
      select ${id}, cast(${to} as bigint) from ${links} where ${here} on conflict do nothing`.execute(tx);
    await sql`delete from ${links} where ${here}`.execute(tx);
  }
  await carrySubscriptions(tx, { from: [from], to, projectId });
  await sql`insert into label_priorities (project_id, label_id, priority)
    select project_id, cast(${to} as bigint), priority from label_priorities
    where project_id = ${projectId} and label_id = ${from} on conflict do nothing`.execute(tx);
  await tx
    .deleteFrom('label_priorities')
    .where('project_id', '=', projectId)
    .where('label_id', '=', from)
    .execute();
}

/** What of the project has the one milestone has the other instead. */
export async function exchangeMilestone(
  tx: Tx,
  projectId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  for (const kind of KINDS) {
    await sql`update ${things(kind)} set milestone_id = ${to}
      where project_id = ${projectId} and milestone_id = ${from}`.execute(tx);
  }
}

const things = (kind: (typeof KINDS)[number]): RawBuilder<unknown> => sql.table(`${kind}s`);
