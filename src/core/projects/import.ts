import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { draftProject, type NewProject, storeProject } from './create.ts';
import type { ProjectWithNamespace } from './find.ts';

/** How a repository on this machine's disk becomes a project. */
export interface DiskImport extends Omit<NewProject, 'initializeWithReadme' | 'defaultBranch'> {
  /** Whose project it is to be. */
  owner: Actor;
  /** A folder that git can fetch from, bare or with a work tree. */
  from: string;
}

/**
 * Makes a project of a repository on disk, with its branches, tags and default branch. Not for addresses that a caller
 * sends: git reads whatever lies at that path.
 */
export async function importFromDisk(
  core: Core,
  { owner, from, ...input }: DiskImport,
): Promise<ProjectWithNamespace> {
  const draft = await draftProject(core, owner, input);
  return storeProject(core, owner, draft, async (repository) => {
    await repository.create({ defaultBranch: draft.defaultBranch });
    await repository.importFrom(from);
  });
}
