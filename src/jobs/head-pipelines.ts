import type { Core } from '../core/core.ts';
import { findProjectById } from '../core/projects/store.ts';
import { presentPipelineBasic } from './entities.ts';
import { newestPipeline } from './pipeline-store.ts';
import { present } from './present-pipeline.ts';

export interface HeadOf {
  projectId: number;
  /** A branch. */
  ref: string;
  sha: string;
}

/** The pipeline that a merge request shows: the newest of its source branch for its newest commit; null when there is none. */
export async function headPipeline(core: Pick<Core, 'db'>, head: HeadOf, baseUrl: string) {
  const pipeline = await newestPipeline(core.db, head);
  const project = pipeline && (await findProjectById(core.db, head.projectId));
  if (!pipeline || !project) return null;
  const detail = await present(core, { project, baseUrl, pipeline });
  return {
    status: pipeline.status,
    startedAt: detail.started_at,
    finishedAt: detail.finished_at,
    basic: presentPipelineBasic(pipeline, { project, baseUrl }),
    detail,
  };
}
