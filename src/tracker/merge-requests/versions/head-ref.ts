import type { Core } from '../../../core/core.ts';
import type { Project } from '../../../core/tables.ts';
import { readInfo } from '../../../git/objects.ts';
import { RefConflict } from '../../../git/ref-update.ts';
import type { MergeRequestRow } from '../../tables.ts';

/** `refs/merge-requests/1/head`: what clients fetch, and what keeps the commits from git's prune. Nobody pushes there. */
export const headRef = (iid: number): string => `refs/merge-requests/${iid}/head`;

/** Points it at the present commit. Doing so again is no harm; a rival that is newer wins. */
export async function keepHead(
  core: Pick<Core, 'refUpdates' | 'repositoryOf'>,
  project: Pick<Project, 'id' | 'storage_path'>,
  { iid, sha }: Pick<MergeRequestRow, 'iid' | 'sha'>,
): Promise<void> {
  if (sha === null || !(await readInfo(core.repositoryOf(project), sha))) return;
  try {
    await core.refUpdates.update(project, [{ ref: headRef(iid), new: sha }], { userId: null, via: 'api' });
  } catch (error) {
    if (!(error instanceof RefConflict)) throw error;
  }
}

export async function dropHead(
  core: Pick<Core, 'refUpdates'>,
  project: Pick<Project, 'id' | 'storage_path'>,
  iid: number,
): Promise<void> {
  await core.refUpdates.update(project, [{ ref: headRef(iid), new: null }], { userId: null, via: 'api' });
}
