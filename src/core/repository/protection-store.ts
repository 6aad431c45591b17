import type { Insertable, Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { ProtectedBranch, ProtectedBranchesTable, ProtectedTag, ProtectedTagsTable } from '../tables.ts';

/** A project has a handful of them, exact names and patterns alike: they are always read together. */
export function protectedBranches(db: Queryable, projectId: number): Promise<ProtectedBranch[]> {
  return db
    .selectFrom('protected_branches')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('name')
    .execute();
}

export function protectedTags(db: Queryable, projectId: number): Promise<ProtectedTag[]> {
  return db
    .selectFrom('protected_tags')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('name')
    .execute();
}

export function findProtectedBranch(
  db: Queryable,
  projectId: number,
  name: string,
): Promise<ProtectedBranch | undefined> {
  return db
    .selectFrom('protected_branches')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export function findProtectedTag(
  db: Queryable,
  projectId: number,
  name: string,
): Promise<ProtectedTag | undefined> {
  return db
    .selectFrom('protected_tags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Throws UniqueViolation when the name is protected already. */
export function insertProtectedBranch(
  db: Queryable,
  row: Insertable<ProtectedBranchesTable>,
): Promise<ProtectedBranch> {
  return db.insertInto('protected_branches').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Leaves a rule that is there as it is. */
export async function protectBranchIfNew(tx: Tx, row: Insertable<ProtectedBranchesTable>): Promise<void> {
  await tx
    .insertInto('protected_branches')
    .values(row)
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .execute();
}

/** Undefined when it has been deleted meanwhile. */
export function updateProtectedBranch(
  db: Queryable,
  id: number,
  changes: Updateable<ProtectedBranchesTable>,
): Promise<ProtectedBranch | undefined> {
  return db
    .updateTable('protected_branches')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteProtectedBranch(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('protected_branches').where('id', '=', id).execute();
}

/** Throws UniqueViolation when the name is protected already. */
export function insertProtectedTag(
  db: Queryable,
  row: Insertable<ProtectedTagsTable>,
): Promise<ProtectedTag> {
  return db.insertInto('protected_tags').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteProtectedTag(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('protected_tags').where('id', '=', id).execute();
}
