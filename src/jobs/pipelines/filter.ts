import type { Core } from '../../core/core.ts';
import type { Project } from '../../core/tables.ts';
import { listRefs } from '../../git/refs.ts';
import { RepositoryNotFound } from '../../git/repository.ts';
import type { JobStatus } from '../states.ts';
import { newestByRef, type PipelineFilter } from './list-store.ts';

/** The filters of the pipeline list, as a client gives them. */
export interface PipelineListFilter {
  scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags' | null | undefined;
  status?: JobStatus | null | undefined;
  ref?: string | null | undefined;
  sha?: string | null | undefined;
  yaml_errors?: boolean | null | undefined;
  username?: string | null | undefined;
  updated_before?: number | null | undefined;
  updated_after?: number | null | undefined;
  created_before?: number | null | undefined;
  created_after?: number | null | undefined;
  source?: string | null | undefined;
  name?: string | null | undefined;
}

const SCOPES: Record<'running' | 'pending' | 'finished', readonly JobStatus[]> = {
  running: ['running'],
  pending: ['pending'],
  finished: ['success', 'failed', 'canceled'],
};

/** A statement takes only so many values; a project with more branches that have pipelines shows the newest ones. */
const MAX_REFS = 10_000;

/** What to ask the database; the scopes `branches` and `tags` look at the refs that exist now. */
export async function filterOf(
  core: Pick<Core, 'db' | 'repositoryOf'>,
  project: Pick<Project, 'id' | 'storage_path'>,
  input: PipelineListFilter,
): Promise<PipelineFilter> {
  const { scope, status } = input;
  const byRef = scope === 'branches' || scope === 'tags';
  return {
    projectId: project.id,
    ids: byRef ? await newestOfRefs(core, project, scope) : undefined,
    statuses: statusesOf(byRef ? null : scope, status),
    source: input.source,
    ref: input.ref || null,
    sha: input.sha || null,
    name: input.name || null,
    username: input.username || null,
    yamlErrors: input.yaml_errors,
    updatedAfter: input.updated_after,
    updatedBefore: input.updated_before,
    createdAfter: input.created_after,
    createdBefore: input.created_before,
  };
}

/** Both narrow: `scope=finished&status=running` fits nothing. */
function statusesOf(
  scope: keyof typeof SCOPES | null | undefined,
  status: JobStatus | null | undefined,
): readonly JobStatus[] | undefined {
  if (!scope) return status ? [status] : undefined;
  return status ? SCOPES[scope].filter((each) => each === status) : SCOPES[scope];
}

async function newestOfRefs(
  { db, repositoryOf }: Pick<Core, 'db' | 'repositoryOf'>,
  project: Pick<Project, 'id' | 'storage_path'>,
  scope: 'branches' | 'tags',
): Promise<number[]> {
  const prefix = scope === 'tags' ? 'refs/tags/' : 'refs/heads/';
  const refs = await listRefs(repositoryOf(project), prefix).catch((error) => {
    if (error instanceof RepositoryNotFound) return [];
    throw error;
  });
  const existing = new Set(refs.map(({ name }) => name.slice(prefix.length)));
  const newest = await newestByRef(db, project.id, scope === 'tags');
  return newest
    .filter(({ ref }) => existing.has(ref))
    .map(({ id }) => id)
    .sort((a, b) => b - a)
    .slice(0, MAX_REFS);
}
