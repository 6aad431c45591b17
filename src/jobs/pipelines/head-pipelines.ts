import type { Core } from '../../core/core.ts';
import { findProjectById, findProjectsByIds } from '../../core/projects/store.ts';
import type { Project } from '../../core/tables.ts';
import { presentPipelineBasic } from '../entities.ts';
import {
  countPipelinesOfMergeRequest,
  newestOfMergeRequest,
  type OfMergeRequest,
  pipelinesOfMergeRequest,
} from './merge-request-pipelines-store.ts';
import { pipelinesFor } from './pipelines.ts';
import { present } from './present.ts';

export interface HeadOf {
  mergeRequestId: number;
  /** Of the source branch. */
  projectId: number;
  ref: string;
  sha: string;
}

/** The pipeline that a merge request shows: the newest for its newest commit, its own or its source branch's; null when there is none. */
export async function headPipeline(core: Pick<Core, 'db'>, head: HeadOf, baseUrl: string) {
  const pipeline = await newestOfMergeRequest(core.db, head);
  const project = pipeline && (await findProjectById(core.db, pipeline.project_id));
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

/** What a merge request lists: its own pipelines, and those of its source branch for any of these commits, newest first. */
export async function pipelinesOfCommits(
  core: Pick<Core, 'db'>,
  of: OfMergeRequest,
  page: { limit: number; offset: number },
  baseUrl: string,
) {
  const total = await countPipelinesOfMergeRequest(core.db, of);
  const rows = await pipelinesOfMergeRequest(core.db, of, page);
  const ids = [...new Set(rows.map((row) => row.project_id))];
  const projects = new Map((await findProjectsByIds(core.db, ids)).map((each) => [each.id, each]));
  const items = rows.flatMap((row) => {
    const project = projects.get(row.project_id);
    return project ? [presentPipelineBasic(row, { project, baseUrl })] : [];
  });
  return { items, total };
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
