import { type Commit, readCommit } from '../../git/objects.ts';
import { type Repository, RepositoryNotFound } from '../../git/repository.ts';
import { resolveRevision } from '../../git/revision.ts';
import { fail } from '../../platform/errors.ts';
import { param } from '../../platform/http/params.ts';

/** What the repository routes have in common. */

export const projectPath = {
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
};

/** A project that is being deleted loses its repository before its row. */
export async function unlessRemoved<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RepositoryNotFound) throw fail.notFound('Repository');
    throw error;
  }
}

/** The commit that a branch, tag or id names; null when there is none. */
export async function findCommit(
  repo: Repository,
  revision: string,
  signal?: AbortSignal,
): Promise<Commit | null> {
  const oid = await unlessRemoved(resolveRevision(repo, revision, signal));
  return oid === null ? null : readCommit(repo, oid, signal);
}
