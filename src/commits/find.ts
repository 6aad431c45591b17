import type { Core, CoreApi } from '../core/core.ts';
import type { Project } from '../core/tables.ts';
import { type Repository, RepositoryNotFound } from '../git/repository.ts';
import { resolveRevision } from '../git/revision.ts';
import { fail } from '../platform/errors.ts';
import { param } from '../platform/http/params.ts';

/** Where the routes of this room are added. */
export type Room = ReturnType<CoreApi['room']>;

/** The path parameters that nearly every route begins with. */
export const commitPath = {
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
  sha: param.string({ description: 'Commit id (full or short), branch or tag.' }),
};

export interface FoundCommit {
  repo: Repository;
  /** Full id. */
  oid: string;
}

/** The commit that `:sha` names in the project's repository; 404 when there is none. */
export async function findCommit(
  core: Core,
  project: Project,
  { params, signal }: { params: { sha: string }; signal: AbortSignal },
): Promise<FoundCommit> {
  const repo = core.repositoryOf(project);
  const oid = await unlessRemoved(resolveRevision(repo, params.sha, signal));
  if (oid === null) throw fail.notFound('Commit');
  return { repo, oid };
}

/** A project that is being deleted loses its repository before its row. */
export async function unlessRemoved<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RepositoryNotFound) throw fail.notFound('Repository');
    throw error;
  }
}
