import { sql } from 'kysely';
import type { Queryable, Tx } from '../../../platform/db/tables.ts';
import type { IssueRow } from '../tables.ts';

/** Where the next other issue of the project stands; null when there is none on that side. */
export async function neighbourPosition(
  db: Queryable,
  { id, project_id }: IssueRow,
  side: 'above' | 'below',
  position: number,
): Promise<number | null> {
  const row = await db
    .selectFrom('issues')
    .select('relative_position')
    .where('project_id', '=', project_id)
    .where('id', '!=', id)
    .where('relative_position', side === 'above' ? '>' : '<', position)
    .orderBy('relative_position', side === 'above' ? 'asc' : 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.relative_position ?? null;
}

/** Numbers all issues of the project anew, in the order in which they stand, `gap` apart. */
export async function spreadPositions(tx: Tx, projectId: number, gap: number): Promise<void> {
  await sql`update issues set relative_position = ranked.rank * cast(${gap} as bigint) from (
      select id, row_number() over (order by relative_position, id) as rank from issues
      where project_id = ${projectId}
    ) as ranked
    where ranked.id = issues.id`.execute(tx);
}
