import type { Core } from '../core/core.ts';
import { findProjectById } from '../core/projects/store.ts';
import type { Project } from '../core/tables.ts';
import { presentPipelineBasic } from './entities.ts';
import { countPipelines, listPipelines } from './pipeline-list-store.ts';
import { newestPipeline } from './pipeline-store.ts';
import { pipelinesFor } from './pipelines.ts';
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

/** What a merge request lists: the pipelines of a branch for any of these commits, newest first. */
export async function pipelinesOfCommits(
  core: Pick<Core, 'db'>,
  { projectId, ref, shas }: { projectId: number; ref: string; shas: readonly string[] },
  page: { limit: number; offset: number },
  baseUrl: string,
) {
  const project = await findProjectById(core.db, projectId);
  if (!project) return { items: [], total: 0 };
  const filter = { projectId, ref, shas };
  const total = await countPipelines(core.db, filter);
  const rows = await listPipelines(core.db, filter, { order: 'id', direction: 'desc', ...page });
  return { items: rows.map((row) => presentPipelineBasic(row, { project, baseUrl })), total };
}

/** What a search shows of these commits: the newest pipeline of each, by its id; those without one are not in it. */
export async function pipelinesByCommit(
  core: Pick<Core, 'db'>,
  project: Pick<Project, 'id' | 'full_path'>,
  shas: readonly string[],
  baseUrl: string,
) {
  const pipelines = await pipelinesFor(core.db, project.id, shas);
  const shown = [...pipelines].map(
    ([sha, row]) => [sha, presentPipelineBasic(row, { project, baseUrl })] as const,
  );
  return new Map(shown);
}
