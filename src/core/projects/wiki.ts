import { resolveRef } from '../../git/refs.ts';
import { type Repository, RepositoryExists, RepositoryNotFound } from '../../git/repository.ts';
import { fail } from '../../platform/errors.ts';
import type { Core } from '../core.ts';
import { BRANCHES } from '../repository/default-branch.ts';
import type { RefProject } from '../repository/ref-updates.ts';
import type { Project } from '../tables.ts';
import { deleteReservation, isClaimed, reserveAnyway } from './storage-store.ts';

/**
 * A project's wiki is a bare repository beside that of its code. It is made when somebody first writes, so that it need not
 * be there; like the code it never moves, whatever the project is called.
 */
export interface Wiki extends RefProject {
  wiki: true;
}

type Place = Pick<Project, 'id' | 'storage_path'>;

/** What `repositoryOf` and `refUpdates` take for the project's wiki. */
export const wikiOf = ({ id, storage_path }: Place): Wiki => ({
  id,
  storage_path: wikiPath(storage_path),
  wiki: true,
});

/** `@hashed/ab/cd/12.git` to `@hashed/ab/cd/12.wiki.git`. */
export const wikiPath = (storagePath: string): string => storagePath.replace(/\.git$/, '.wiki.git');

/** The storage path of the project to which a repository belongs, be it the code or the wiki. */
export const ownerPath = (storagePath: string): string => storagePath.replace(/\.wiki\.git$/, '.git');

/** A handle; whether the repository is there is another question. */
export const wikiRepositoryOf = (core: Pick<Core, 'repositoryOf'>, project: Place): Repository =>
  core.repositoryOf(wikiOf(project));

export interface WikiTip {
  /** The default branch. */
  branch: string;
  oid: string;
}

/** Where a wiki's default branch is; null where nobody has written yet. */
export async function wikiTip(repository: Repository): Promise<WikiTip | null> {
  try {
    const branch = await repository.head();
    const oid = await resolveRef(repository, BRANCHES + branch);
    return oid === null ? null : { branch, oid };
  } catch (error) {
    if (error instanceof RepositoryNotFound) return null;
    throw error;
  }
}

/**
 * Makes the wiki where it is not there yet. A reservation comes first and goes when the project is seen to be there still:
 * what a killed process leaves for a project that was deleted meanwhile goes at the next start. Throws 404 for such a project.
 */
export async function ensureWiki(core: Core, project: Place): Promise<Repository> {
  const repository = wikiRepositoryOf(core, project);
  if (await repository.exists()) return repository;
  const { storage_path: storagePath } = wikiOf(project);
  const defaultBranch = (await core.settings.get('default_branch_name')) || 'main';
  await reserveAnyway(core, storagePath);
  await repository.create({ defaultBranch }).catch((error: unknown) => {
    if (!(error instanceof RepositoryExists)) throw error; // somebody else was faster
  });
  const isThere = await core.database.transaction(async (tx) => {
    await deleteReservation(tx, storagePath);
    return isClaimed(tx, project.storage_path);
  });
  if (isThere) return repository;
  await repository.remove();
  throw fail.notFound('Project');
}
