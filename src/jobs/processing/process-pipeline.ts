import type { Tx } from '../../platform/db/tables.ts';
import { lockPipeline } from '../pipeline-store.ts';
import { refreshPipeline } from '../pipelines.ts';
import type { JobDeps } from './transitions.ts';

/**
 * Lets every `created` job of the pipeline proceed that now may (to `pending`, `manual`, `scheduled`, `waiting_for_resource` or
 * `skipped`), then brings the pipeline itself up to date. In the caller's transaction: what a job's end leads to commits with it.
 * Locks the pipeline's row first.
 */
export async function processPipeline(tx: Tx, deps: JobDeps, pipelineId: number): Promise<void> {
  if (!(await lockPipeline(tx, pipelineId))) return;
  await refreshPipeline(tx, deps, pipelineId);
}
