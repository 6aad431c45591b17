import type { Insertable, SelectQueryBuilder, Updateable } from 'kysely';
import { composed } from '../../platform/db/prepared.ts';
import type { Queryable, Tables, Tx } from '../../platform/db/tables.ts';
import type { CiVariableRow, CiVariablesTable } from './tables.ts';

/** Whose variables they are: of a project, of a group, or, with neither, of the whole service. */
export interface VariableOwner {
  projectId: number | null;
  groupId: number | null;
}

type VariableQuery = SelectQueryBuilder<Tables, 'ci_variables', object>;

const ofOwner = (db: Queryable, { projectId, groupId }: VariableOwner): VariableQuery =>
  db
    .selectFrom('ci_variables')
    .where('project_id', projectId === null ? 'is' : '=', projectId)
    .where('group_id', groupId === null ? 'is' : '=', groupId) as unknown as VariableQuery;

/** By key and scope. */
export function listVariables(
  db: Queryable,
  owner: VariableOwner,
  { limit, offset }: { limit: number; offset: number },
): Promise<CiVariableRow[]> {
  return ofOwner(db, owner)
    .selectAll()
    .orderBy('key')
    .orderBy('environment_scope')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countVariables(db: Queryable, owner: VariableOwner): Promise<number> {
  const { count } = await ofOwner(db, owner)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Those of this key, one for each scope. */
export function variablesNamed(db: Queryable, owner: VariableOwner, key: string): Promise<CiVariableRow[]> {
  return ofOwner(db, owner).selectAll().where('key', '=', key).orderBy('id').execute();
}

/** All that may reach a job: of its project, of the groups above it, and of the service. */
export function variablesReaching(
  db: Queryable,
  { projectId, groupIds }: { projectId: number; groupIds: readonly number[] },
): Promise<CiVariableRow[]> {
  return reaching(db, { projectId, ...Object.fromEntries(groupIds.entries()) });
}

const reaching = composed((db, { projectId, ...groups }: { projectId: number } & Record<string, number>) => {
  const all = db.selectFrom('ci_variables').selectAll();
  const ofProject = all.where('project_id', '=', projectId);
  const ofService = all.where('project_id', 'is', null).where('group_id', 'is', null);
  const groupIds = Object.values(groups);
  if (groupIds.length === 0) return ofProject.unionAll(ofService);
  return ofProject.unionAll(ofService).unionAll(all.where('group_id', 'in', groupIds));
});

/** Throws UniqueViolation when the owner has this key in this scope. */
export function insertVariable(tx: Tx, row: Insertable<CiVariablesTable>): Promise<CiVariableRow> {
  return tx.insertInto('ci_variables').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Undefined when it has been deleted meanwhile. Throws UniqueViolation as `insertVariable`. */
export function updateVariable(
  tx: Tx,
  id: number,
  changes: Updateable<CiVariablesTable>,
): Promise<CiVariableRow | undefined> {
  return tx.updateTable('ci_variables').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function deleteVariable(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('ci_variables').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
