import { type Insertable, type SelectQueryBuilder, type SqlBool, sql, type Updateable } from 'kysely';
import type { Viewer } from '../../core/access/store.ts';
import { containsText } from '../../platform/db/like.ts';
import type { Queryable, Tables, Tx } from '../../platform/db/tables.ts';
import { nextIid } from '../counters-store.ts';
import { visibleProjectsIn } from '../group-scope-store.ts';
import type { PlacedMilestone } from './entities.ts';
import type { MilestoneRow, MilestoneState, MilestonesTable } from './tables.ts';

/** Where milestones are looked for; all of them together. */
export interface MilestoneScope {
  projectId?: number;
  groupIds: readonly number[];
  /** In all projects of these groups that the viewer may see. */
  projects?: { groupIds: readonly number[]; viewer: Viewer } | undefined;
}

export interface MilestoneFilter extends MilestoneScope {
  iids?: readonly number[] | null | undefined;
  state?: MilestoneState | null | undefined;
  title?: string | null | undefined;
  /** In the title or the description. */
  search?: string | null | undefined;
  /** In ms, both ends included. */
  updatedAfter?: number | null | undefined;
  updatedBefore?: number | null | undefined;
}

/** The newest first. */
export function listMilestones(
  db: Queryable,
  filter: MilestoneFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<PlacedMilestone[]> {
  return placed(filtered(db, filter)).orderBy('milestones.id', 'desc').limit(limit).offset(offset).execute();
}

export async function countMilestones(db: Queryable, filter: MilestoneFilter): Promise<number> {
  const { count } = await filtered(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export function findMilestone(
  db: Queryable,
  scope: MilestoneScope,
  id: number,
): Promise<PlacedMilestone | undefined> {
  return placed(filtered(db, scope)).where('milestones.id', '=', id).executeTakeFirst();
}

/** By id; for what issues and merge requests show. */
export async function loadMilestones(
  db: Queryable,
  ids: readonly (number | null)[],
): Promise<Map<number, PlacedMilestone>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const all = db.selectFrom('milestones').where('milestones.id', 'in', wanted) as unknown as MilestoneQuery;
  const rows = await placed(all).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Null when the title is in use there. */
export async function insertMilestone(
  tx: Tx,
  row: Omit<Insertable<MilestonesTable>, 'iid'>,
): Promise<MilestoneRow | null> {
  const iid =
    row.project_id == null
      ? await nextGroupIid(tx, row.group_id!)
      : await nextIid(tx, row.project_id, 'milestone');
  const inserted = await tx
    .insertInto('milestones')
    .values({ ...row, iid })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

async function nextGroupIid(tx: Tx, groupId: number): Promise<number> {
  const { last_iid } = await tx
    .insertInto('tracker_group_counters')
    .values({ group_id: groupId, kind: 'milestone', last_iid: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['group_id', 'kind'])
        .doUpdateSet((eb) => ({ last_iid: eb('tracker_group_counters.last_iid', '+', 1) })),
    )
    .returning('last_iid')
    .executeTakeFirstOrThrow();
  return last_iid;
}

/** Undefined when it is gone meanwhile. */
export function updateMilestoneRow(
  tx: Tx,
  id: number,
  changes: Updateable<MilestonesTable>,
): Promise<MilestoneRow | undefined> {
  return tx.updateTable('milestones').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

/** False when it is gone already. */
export async function deleteMilestoneRow(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('milestones').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

type MilestoneQuery = SelectQueryBuilder<Tables, 'milestones', object>;

/** With the full path of what it belongs to. */
const placed = (query: MilestoneQuery) =>
  query.selectAll('milestones').select(
    sql<string>`coalesce(
      (select full_path from projects where projects.id = milestones.project_id),
      (select full_path from namespaces where namespaces.id = milestones.group_id))`.as('place'),
  );

function filtered(db: Queryable, filter: MilestoneFilter): MilestoneQuery {
  const { projectId, groupIds, projects, iids, state, title, updatedAfter, updatedBefore } = filter;
  let query = db
    .selectFrom('milestones')
    .where((eb) =>
      eb.or([
        ...(projectId === undefined ? [] : [eb('project_id', '=', projectId)]),
        ...(groupIds.length === 0 ? [] : [eb('group_id', 'in', groupIds)]),
        ...(projects ? [eb('project_id', 'in', visibleProjectsIn(projects.groupIds, projects.viewer))] : []),
      ]),
    ) as unknown as MilestoneQuery;
  if (iids && iids.length > 0) query = query.where('iid', 'in', iids);
  if (state) query = query.where('state', '=', state);
  if (title != null) query = query.where('title', '=', title);
  if (updatedAfter != null) query = query.where('updated_at', '>=', updatedAfter);
  if (updatedBefore != null) query = query.where('updated_at', '<=', updatedBefore);
  const text = filter.search?.trim();
  return text ? query.where(mentions(text)) : query;
}

const mentions = (text: string) =>
  sql<SqlBool>`(${containsText(sql.ref('milestones.title'), text)}
    or ${containsText(sql.ref('milestones.description'), text)})`;
