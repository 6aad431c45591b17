import type { Core } from '../core/core.ts';
import { findProjectById } from '../core/projects/store.ts';
import { commitTitle } from '../git/message.ts';
import { readCommit } from '../git/objects.ts';
import { RepositoryNotFound } from '../git/repository.ts';
import { findPipelineById, isOvertaken } from './notification-store.ts';
import type { PipelineRow } from './tables.ts';

/** What this room tells notifications of its pipelines. */
export function notificationSource(core: Pick<Core, 'db' | 'repositoryOf'>) {
  return { pipeline: (id: number) => pipelineFacts(core, id) };
}

/** Null when it is gone. */
async function pipelineFacts(core: Pick<Core, 'db' | 'repositoryOf'>, id: number) {
  const pipeline = await findPipelineById(core.db, id);
  if (!pipeline) return null;
  return {
    id,
    iid: pipeline.iid,
    projectId: pipeline.project_id,
    ref: pipeline.ref,
    tag: pipeline.tag === 1,
    sha: pipeline.sha,
    title: await titleOf(core, pipeline),
    status: pipeline.status,
    userId: pipeline.user_id,
    mergeRequestId: pipeline.merge_request_id,
    overtaken: await isOvertaken(core.db, pipeline),
    child: pipeline.source === 'parent_pipeline',
  };
}

/** Of its commit; empty where that is gone. */
async function titleOf(
  core: Pick<Core, 'db' | 'repositoryOf'>,
  { project_id, sha }: PipelineRow,
): Promise<string> {
  const project = await findProjectById(core.db, project_id);
  if (!project) return '';
  try {
    const commit = await readCommit(core.repositoryOf(project), sha);
    return commit ? commitTitle(commit.message) : '';
  } catch (error) {
    // the project is being deleted, and loses its repository before its row
    if (error instanceof RepositoryNotFound) return '';
    throw error;
  }
}
