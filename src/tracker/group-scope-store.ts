import { sql } from 'kysely';
import { type Viewer, visibleGroup, visibleProject } from '../core/access/store.ts';
import { belowSet } from '../core/groups/store.ts';
import type { Queryable } from '../platform/db/tables.ts';

/** Ids of the groups below, at any depth, that the viewer may see. */
export async function visibleGroupsBelow(db: Queryable, groupId: number, viewer: Viewer): Promise<number[]> {
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', sql<number>`(${belowSet(groupId)})`)
    .where(visibleGroup(viewer))
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Ids of the projects of these groups that the viewer may see, as a set for `in`. */
export const visibleProjectsIn = (groupIds: readonly number[], viewer: Viewer) =>
  sql<number>`(select projects.id from projects join namespaces on namespaces.id = projects.namespace_id
    where projects.namespace_id in (${sql.join(groupIds)}) and ${visibleProject(viewer)})`;
