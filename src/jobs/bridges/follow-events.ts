import type { CreationDeps } from '../creation/request.ts';
import { findPipeline } from '../pipelines/store.ts';
import { isComplete } from '../states.ts';
import { beginDownstream } from './begin.ts';
import type { ArtifactFiles } from './child-config.ts';
import { settleBridge } from './settle.ts';
import { sourceOf } from './store.ts';

/** Begins what bridges ask for when it is their turn, and tells bridges how it went. */
export function followBridges(deps: CreationDeps, files: ArtifactFiles): void {
  const { events, db } = deps.core;
  events.subscribe('jobs.bridges', ['bridge.due'], ({ payload }) =>
    beginDownstream(deps, files, payload.jobId),
  );
  events.subscribe('jobs.downstream', ['pipeline.updated'], async ({ payload }) => {
    const { projectId, pipelineId, before, status } = payload;
    const source = await sourceOf(db, pipelineId);
    const pipeline = source && (await findPipeline(db, projectId, pipelineId));
    if (!pipeline) return;
    const reopened = before !== null && isComplete(before);
    const isBroken = pipeline.yaml_errors !== null;
    await settleBridge(deps.core, source.source_job_id, { status, isBroken, reopened });
  });
}
