import type { ProjectAccess } from '../../core/access/access.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { presentCommit } from '../../core/repository/commit-entity.ts';
import type { Commit } from '../../git/objects.ts';
import type { FindPipelines } from './ports.ts';

interface Presented {
  project: ProjectWithNamespace;
  access: ProjectAccess;
  baseUrl: string;
}

/** Commits of one project with the newest pipeline of each, which is for those who may read it. */
export async function presentFound(
  findPipelines: FindPipelines,
  commits: readonly Commit[],
  { project, access, baseUrl }: Presented,
) {
  const shas = commits.map(({ id }) => id);
  const pipelines = access.can('read_pipeline') ? await findPipelines(project, shas, baseUrl) : new Map();
  return commits.map((commit) => {
    const pipeline = pipelines.get(commit.id) ?? null;
    return {
      ...presentCommit(commit, { project, baseUrl }),
      project_id: project.id,
      status: pipeline?.status ?? null,
      last_pipeline: pipeline,
    };
  });
}
