import { type Insertable, sql, type Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { deleteCommentary } from '../notes/noteable-store.ts';
import { deleteResourceEvents } from '../resource-events/store.ts';
import type { MergeRequestRow, MergeRequestsTable } from '../tables.ts';

export function insertMergeRequest(tx: Tx, row: Insertable<MergeRequestsTable>): Promise<MergeRequestRow> {
  return tx.insertInto('merge_requests').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Undefined when it is gone meanwhile. */
export function updateMergeRequestRow(
  tx: Queryable,
  id: number,
  changes: Updateable<MergeRequestsTable>,
): Promise<MergeRequestRow | undefined> {
  return tx.updateTable('merge_requests').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
}

/** The same, only while it is in this state: of two who end it at once, one does. */
export function updateIfState(
  tx: Tx,
  { id, state }: Pick<MergeRequestRow, 'id' | 'state'>,
  changes: Updateable<MergeRequestsTable>,
): Promise<MergeRequestRow | undefined> {
  return tx
    .updateTable('merge_requests')
    .set(changes)
    .where('id', '=', id)
    .where('state', '=', state)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteMergeRequestRow(tx: Tx, id: number): Promise<boolean> {
  await deleteCommentary(tx, 'MergeRequest', id);
  await deleteResourceEvents(tx, 'MergeRequest', id);
  const { numDeletedRows } = await tx
    .deleteFrom('merge_requests')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export function findMergeRequest(
  db: Queryable,
  projectId: number,
  iid: number,
): Promise<MergeRequestRow | undefined> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
}

export function findMergeRequestById(db: Queryable, id: number): Promise<MergeRequestRow | undefined> {
  return db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
}

export interface BranchPair {
  projectId: number;
  sourceProjectId: number;
  sourceBranch: string;
  targetBranch: string;
}

export function findOpenPair(db: Queryable, pair: BranchPair): Promise<MergeRequestRow | undefined> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', pair.projectId)
    .where('source_project_id', '=', pair.sourceProjectId)
    .where('source_branch', '=', pair.sourceBranch)
    .where('target_branch', '=', pair.targetBranch)
    .where('state', '=', sql.lit('opened'))
    .executeTakeFirst();
}

/** Each is a question about rights; a fork has a handful. */
const MAX_OFFERS = 200;

export function openFromBranch(db: Queryable, projectId: number, branch: string): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', projectId)
    .where('source_branch', '=', branch)
    .where('state', '=', sql.lit('opened'))
    .orderBy('id')
    .execute();
}

/** Open requests of this project's branches into other projects, whose authors let the people there push. */
export function openToCollaboration(db: Queryable, projectId: number): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', projectId)
    .where('project_id', '!=', projectId)
    .where('state', '=', sql.lit('opened'))
    .where('allow_collaboration', '=', 1)
    .orderBy('id', 'desc')
    .limit(MAX_OFFERS)
    .execute();
}

/** Open requests that are to be merged once this commit's pipeline has succeeded. */
export function waitingForPipeline(
  db: Queryable,
  head: { projectId: number; ref: string; sha: string },
): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', head.projectId)
    .where('source_branch', '=', head.ref)
    .where('state', '=', sql.lit('opened'))
    .where('sha', '=', head.sha)
    .where('auto_merge', 'is not', null)
    .orderBy('id')
    .execute();
}

export function openIntoBranch(db: Queryable, projectId: number, branch: string): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('target_branch', '=', branch)
    .where('state', '=', sql.lit('opened'))
    .orderBy('id')
    .execute();
}

/** The target branch has moved: nobody knows whether these still merge. */
export async function forgetMergeStatus(db: Queryable, projectId: number, branch: string): Promise<void> {
  await db
    .updateTable('merge_requests')
    .set({ merge_status: 'unchecked', merge_status_of: null })
    .where('project_id', '=', projectId)
    .where('target_branch', '=', branch)
    .where('state', '=', sql.lit('opened'))
    .where('merge_status', '!=', 'unchecked')
    .execute();
}

export async function hasMergedBy(db: Queryable, projectId: number, authorId: number): Promise<boolean> {
  const found = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('author_id', '=', authorId)
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('merged'))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
