import type { Queryable } from '../../platform/db/tables.ts';

/** Those of these pipelines that succeeded, and after which none of the same branch or tag did. */
export async function newestSuccesses(db: Queryable, pipelineIds: readonly number[]): Promise<Set<number>> {
  if (pipelineIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('pipelines as one')
    .select('one.id')
    .where('one.id', 'in', [...pipelineIds])
    .where('one.status', '=', 'success')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('pipelines as newer')
            .select('newer.id')
            .whereRef('newer.project_id', '=', 'one.project_id')
            .whereRef('newer.ref', '=', 'one.ref')
            .whereRef('newer.tag', '=', 'one.tag')
            .whereRef('newer.id', '>', 'one.id')
            .where('newer.status', '=', 'success'),
        ),
      ),
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}
