import type { Selectable } from 'kysely';
import type { Viewer } from '../../../core/access/store.ts';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { IssueLinksTable, IssueRow } from '../tables.ts';
import { readableIssues } from '../visible-store.ts';

export type IssueLinkRow = Selectable<IssueLinksTable>;

export function linksOf(db: Queryable, issueId: number): Promise<IssueLinkRow[]> {
  return db
    .selectFrom('issue_links')
    .selectAll()
    .where((eb) => eb.or([eb('source_id', '=', issueId), eb('target_id', '=', issueId)]))
    .orderBy('id')
    .execute();
}

export function findLink(db: Queryable, issueId: number, id: number): Promise<IssueLinkRow | undefined> {
  return db
    .selectFrom('issue_links')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('source_id', '=', issueId), eb('target_id', '=', issueId)]))
    .executeTakeFirst();
}

/** Undefined when the two are linked already, in whichever direction. */
export async function insertLink(
  tx: Tx,
  { sourceId, targetId, now }: { sourceId: number; targetId: number; now: number },
): Promise<IssueLinkRow | undefined> {
  const other = await tx
    .selectFrom('issue_links')
    .select('id')
    .where('source_id', '=', targetId)
    .where('target_id', '=', sourceId)
    .executeTakeFirst();
  if (other) return undefined;
  return tx
    .insertInto('issue_links')
    .values({ source_id: sourceId, target_id: targetId, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(['source_id', 'target_id']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function deleteLink(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('issue_links')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Those of these issues that the viewer may read, by id. */
export async function readableAmong(
  db: Queryable,
  ids: readonly number[],
  viewer: Viewer,
): Promise<Map<number, IssueRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('issues')
    .where('issues.id', 'in', ids)
    .where(readableIssues(viewer))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
