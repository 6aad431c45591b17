import { RepositoryNotFound } from '../../git/repository.ts';
import type { Core } from '../core.ts';
import { findProjectById } from './store.ts';

/** Makes the HEAD of the repository name the default branch of the row, which clones read. */
export async function pointHead(core: Core, projectId: number): Promise<void> {
  const project = await findProjectById(core.db, projectId);
  if (!project?.default_branch) return;
  const repository = core.repositoryOf(project);
  try {
    if ((await repository.head()) !== project.default_branch) {
      await repository.setHead(project.default_branch);
    }
  } catch (error) {
    // Deleted between the two steps: there is no HEAD to point any more.
    if (!(error instanceof RepositoryNotFound)) throw error;
  }
}

/** Once more after the commit, by an event: a process that dies between the row and the file leaves them the same. */
export function keepHeadsPointed(core: Core): void {
  core.events.subscribe('core.heads', ['project.updated'], async ({ payload }) => {
    if (payload.changes.defaultBranch) await pointHead(core, payload.projectId);
  });
}
