import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import type { PipelineRow } from '../../tables.ts';

export interface GitInfo {
  /** With the job's credentials in it. */
  repo_url: string;
  repo_object_format: 'sha1';
  ref: string;
  sha: string;
  before_sha: string;
  ref_type: 'branch' | 'tag';
  refspecs: string[];
  /** 0: the whole history. */
  depth: number;
  protected: boolean;
}

const NO_COMMIT = '0'.repeat(40);

export function gitInfo(
  { pipeline, project }: { pipeline: PipelineRow; project: ProjectWithNamespace },
  { baseUrl, token, depth }: { baseUrl: string; token: string; depth: number },
): GitInfo {
  const url = new URL(`${baseUrl}/${project.full_path}.git`);
  url.username = 'gitlab-ci-token';
  url.password = token;
  return {
    repo_url: url.href,
    repo_object_format: 'sha1',
    ref: pipeline.ref,
    sha: pipeline.sha,
    before_sha: pipeline.before_sha ?? NO_COMMIT,
    ref_type: pipeline.tag === 1 ? 'tag' : 'branch',
    refspecs: refspecsOf(pipeline, depth),
    depth,
    protected: pipeline.protected === 1,
  };
}

/** The pipeline's own ref keeps its commit whatever becomes of the branch; merge requests have no other. */
function refspecsOf({ id, ref, tag, merge_request_id }: PipelineRow, depth: number): string[] {
  const own = `+refs/pipelines/${id}:refs/pipelines/${id}`;
  if (merge_request_id !== null) return [own];
  if (depth === 0) return [own, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  return [
    own,
    tag === 1 ? `+refs/tags/${ref}:refs/tags/${ref}` : `+refs/heads/${ref}:refs/remotes/origin/${ref}`,
  ];
}

/** The job's `GIT_DEPTH`, else the project's; anything that is no number counts as not set. */
export function depthOf(variables: readonly { key: string; value: string }[], ofProject: number): number {
  const said = variables.findLast(({ key }) => key === 'GIT_DEPTH')?.value;
  return said !== undefined && /^\d{1,9}$/.test(said) ? Number(said) : ofProject;
}
