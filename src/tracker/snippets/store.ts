import type { Insertable, Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { deleteCommentary } from '../notes/noteable-store.ts';
import type { SnippetFileRow, SnippetRow, SnippetsTable } from './tables.ts';

/** Personal or of any project; whether the caller may read it is asked of `rights.ts`. */
export function findSnippet(db: Queryable, id: number): Promise<SnippetRow | undefined> {
  return db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst();
}

/** In a project: one of another project is none. */
export function findProjectSnippet(
  db: Queryable,
  projectId: number,
  id: number,
): Promise<SnippetRow | undefined> {
  return db
    .selectFrom('snippets')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** The same row, kept as it is until the transaction ends: changes to its files come one after the other. */
export async function lockSnippet(tx: Tx, id: number, now: number): Promise<SnippetRow | undefined> {
  return tx
    .updateTable('snippets')
    .set({ updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function insertSnippet(tx: Tx, row: Insertable<SnippetsTable>): Promise<SnippetRow> {
  return tx.insertInto('snippets').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateSnippet(
  tx: Tx,
  id: number,
  changes: Updateable<SnippetsTable>,
): Promise<SnippetRow> {
  return tx
    .updateTable('snippets')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** False when it is gone already. Its files go with it, and what was said about it. */
export async function deleteSnippetRow(tx: Tx, id: number): Promise<boolean> {
  await deleteCommentary(tx, 'Snippet', id);
  const { numDeletedRows } = await tx.deleteFrom('snippets').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Its files in their order. */
export function filesOf(db: Queryable, snippetId: number): Promise<SnippetFileRow[]> {
  return db
    .selectFrom('snippet_files')
    .selectAll()
    .where('snippet_id', '=', snippetId)
    .orderBy('position')
    .execute();
}

/** What lists show of the files of many snippets. */
export async function filePathsOf(db: Queryable, snippetIds: number[]): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>(snippetIds.map((id) => [id, []]));
  if (snippetIds.length === 0) return found;
  const rows = await db
    .selectFrom('snippet_files')
    .select(['snippet_id', 'path'])
    .where('snippet_id', 'in', snippetIds)
    .orderBy('snippet_id')
    .orderBy('position')
    .execute();
  for (const { snippet_id, path } of rows) found.get(snippet_id)?.push(path);
  return found;
}

/** Puts these files in the place of those that are there. */
export async function replaceFiles(
  tx: Tx,
  snippetId: number,
  files: readonly { path: string; content: string }[],
): Promise<void> {
  await tx.deleteFrom('snippet_files').where('snippet_id', '=', snippetId).execute();
  const rows = files.map(({ path, content }, position) => ({
    snippet_id: snippetId,
    position,
    path,
    content,
  }));
  await tx.insertInto('snippet_files').values(rows).execute();
}
