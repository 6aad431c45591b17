import type { Core } from '../../core/core.ts';
import type { PipelineRow } from '../tables.ts';
import { deletePipeline } from './store.ts';

/** Removes a pipeline and its jobs; whoever keeps more than rows of them hears of it by the event. */
export async function removePipeline(
  { database, events }: Pick<Core, 'database' | 'events'>,
  { id: pipelineId, project_id: projectId }: PipelineRow,
  userId: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deletePipeline(tx, pipelineId))) return;
    await events.publish(tx, {
      type: 'pipeline.deleted',
      stream: `project:${projectId}`,
      payload: { projectId, pipelineId, userId },
    });
  });
}
