import type { Generated } from 'kysely';
import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';

/** Whose jobs may reach a project with their tokens: exactly one of the two ids is set. */
export interface JobTokenAllowancesTable {
  id: Generated<number>;
  project_id: number;
  from_project_id: number | null;
  /** Every project in the group and below. */
  from_group_id: number | null;
  created_at: number;
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    job_token_allowances: JobTokenAllowancesTable;
  }
}

/** Who is let in. */
export type Source = { projectId: number } | { groupId: number };

const columnsOf = (source: Source) =>
  'projectId' in source
    ? { from_project_id: source.projectId, from_group_id: null }
    : { from_project_id: null, from_group_id: source.groupId };

/** Whether jobs of the one project are let into the other, by itself or by a group above it. */
export async function isAllowed(db: Queryable, projectId: number, fromProjectId: number): Promise<boolean> {
  const row = await db
    .selectFrom('job_token_allowances as allowed')
    .select('allowed.id')
    .where('allowed.project_id', '=', projectId)
    .where((eb) =>
      eb.or([
        eb('allowed.from_project_id', '=', fromProjectId),
        sql<boolean>`allowed.from_group_id in (
          select above.id from projects as source
            join namespaces as place on place.id = source.namespace_id
            join namespaces as above on place.traversal like above.traversal || '%'
          where source.id = ${fromProjectId})`,
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertAllowance(tx: Tx, projectId: number, source: Source, now: number): Promise<void> {
  await tx
    .insertInto('job_token_allowances')
    .values({ project_id: projectId, ...columnsOf(source), created_at: now })
    .execute();
}

export async function deleteAllowance(tx: Tx, projectId: number, source: Source): Promise<boolean> {
  const query = tx.deleteFrom('job_token_allowances').where('project_id', '=', projectId);
  const narrowed =
    'projectId' in source
      ? query.where('from_project_id', '=', source.projectId)
      : query.where('from_group_id', '=', source.groupId);
  return (await narrowed.executeTakeFirst()).numDeletedRows > 0n;
}

/** In the order in which they were let in. */
export async function allowedProjectIds(db: Queryable, projectId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('job_token_allowances')
    .select('from_project_id')
    .where('project_id', '=', projectId)
    .where('from_project_id', 'is not', null)
    .orderBy('id')
    .execute();
  return rows.flatMap((row) => row.from_project_id ?? []);
}

/** In the order in which they were let in. */
export async function allowedGroupIds(db: Queryable, projectId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('job_token_allowances')
    .select('from_group_id')
    .where('project_id', '=', projectId)
    .where('from_group_id', 'is not', null)
    .orderBy('id')
    .execute();
  return rows.flatMap((row) => row.from_group_id ?? []);
}

export async function projectPath(db: Queryable, projectId: number): Promise<string> {
  const row = await db.selectFrom('projects').select('path').where('id', '=', projectId).executeTakeFirst();
  return row?.path ?? '';
}
