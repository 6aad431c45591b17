import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';

/** Bytes of the texts by project; projects without snippets are left out. */
export async function snippetBytes(db: Queryable, projectIds: number[]): Promise<Map<number, number>> {
  if (projectIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('snippets')
    .innerJoin('snippet_files', 'snippet_files.snippet_id', 'snippets.id')
    // sums are of another type in each database, and text in one of them
    .select([
      'snippets.project_id',
      sql<number | string>`sum(octet_length(snippet_files.content))`.as('bytes'),
    ])
    .where('snippets.project_id', 'in', projectIds)
    .groupBy('snippets.project_id')
    .execute();
  return new Map(rows.map(({ project_id, bytes }) => [project_id!, Number(bytes)]));
}
