import type { Queryable } from '../platform/db/tables.ts';
import type { PipelineRow } from './tables.ts';

export function findPipelineById(db: Queryable, id: number): Promise<PipelineRow | undefined> {
  return db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whether a newer pipeline of the same branch or tag has ended already; children of others do not count. */
export async function isOvertaken(db: Queryable, pipeline: PipelineRow): Promise<boolean> {
  const newer = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', pipeline.project_id)
    .where('ref', '=', pipeline.ref)
    .where('tag', '=', pipeline.tag)
    .where('id', '>', pipeline.id)
    .where('source', '!=', 'parent_pipeline')
    .where('status', 'in', ['success', 'failed', 'canceled'])
    .limit(1)
    .executeTakeFirst();
  return newer !== undefined;
}
