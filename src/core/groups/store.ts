import { sql, type Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { Namespace, NamespacesTable, Project, Visibility } from '../tables.ts';

/** Among the groups directly below the parent. */
export async function isGroupNameTaken(
  db: Queryable,
  parentId: number,
  name: string,
  exceptId = 0,
): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', '=', parentId)
    .where('name', '=', name)
    .where('id', '!=', exceptId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateGroupRow(tx: Tx, id: number, values: Updateable<NamespacesTable>): Promise<void> {
  await tx.updateTable('namespaces').set(values).where('id', '=', id).execute();
}

/** The groups below, at any depth, without the group itself, as the recursive table `below`. */
export const belowSet = (groupId: number) => sql<number>`with recursive below(id) as (
    select id from namespaces where parent_id = ${groupId}
    union all select child.id from namespaces as child join below on child.parent_id = below.id
  ) select id from below`;

/** Every group below, parents before their children. */
export function groupsBelow(db: Queryable, groupId: number): Promise<Namespace[]> {
  return db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', 'in', sql<number>`(${belowSet(groupId)})`)
    .orderBy(sql`length(traversal)`)
    .orderBy('id')
    .execute();
}

export function projectsInNamespaces(db: Queryable, namespaceIds: number[]): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('namespace_id', 'in', namespaceIds)
    .orderBy('id')
    .execute();
}

export async function deleteGroupRow(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('namespaces')
    .where('id', '=', id)
    .where('kind', '=', 'group')
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Whether anything below the group, at any depth, has one of these visibilities. */
export async function anyWiderBelow(
  db: Queryable,
  groupId: number,
  visibilities: Visibility[],
): Promise<{ projects: boolean; groups: boolean }> {
  if (visibilities.length === 0) return { projects: false, groups: false };
  const group = await db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', sql<number>`(${belowSet(groupId)})`)
    .where('visibility', 'in', visibilities)
    .executeTakeFirst();
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('namespace_id', '=', groupId),
        eb('namespace_id', 'in', sql<number>`(${belowSet(groupId)})`),
      ]),
    )
    .where('visibility', 'in', visibilities)
    .executeTakeFirst();
  return { projects: project !== undefined, groups: group !== undefined };
}
