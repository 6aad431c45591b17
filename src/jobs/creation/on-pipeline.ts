import type { Core } from '../../core/core.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { dropPipelineRefs, keepPipelineRef } from '../../git/pipeline-refs.ts';
import { RepositoryNotFound } from '../../git/repository.ts';
import { findPipeline } from '../pipelines/store.ts';
import { isComplete } from '../states.ts';
import { cancelOlder } from './cancel-older.ts';

/** A new pipeline may make older ones of its branch needless; the ref of one that has ended is needed no more. */
export function followPipelines(core: Core): void {
  core.events.subscribe('jobs.older-pipelines', ['pipeline.updated'], async ({ payload }) => {
    if (payload.before === null) await cancelOlder(core, payload.projectId, payload.pipelineId);
  });
  core.events.subscribe('jobs.pipeline-refs', ['pipeline.updated', 'pipeline.deleted'], async (event) => {
    const { projectId, pipelineId } = event.payload;
    const ended = event.type === 'pipeline.deleted' || isComplete(event.payload.status);
    if (ended) await dropRef(core, projectId, pipelineId);
  });
}

/** Where somebody retries it at this moment the ref comes back: a runner that has not fetched yet needs it. */
async function dropRef(core: Core, projectId: number, pipelineId: number): Promise<void> {
  const project = await findProjectById(core.db, projectId);
  if (!project) return;
  const repo = core.repositoryOf(project);
  const isOver = async () => {
    const pipeline = await findPipeline(core.db, projectId, pipelineId);
    return pipeline === undefined || isComplete(pipeline.status) ? null : pipeline;
  };
  if ((await isOver()) !== null) return;
  try {
    await dropPipelineRefs(repo, [pipelineId]);
    const resumed = await isOver();
    if (resumed) await keepPipelineRef(repo, resumed);
  } catch (error) {
    if (!(error instanceof RepositoryNotFound)) throw error;
  }
}
