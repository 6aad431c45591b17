import type { Actor } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { branchRights } from '../../../core/repository/push-rules.ts';
import { RefConflict } from '../../../git/ref-update.ts';
import type { MergeRequestRow } from '../../tables.ts';
import type { Sides } from '../branches.ts';

/**
 * Removes the source branch of a merged request where that was asked for. It stays, without a word, when the caller may not
 * remove it, when it is protected or the default, and when somebody has pushed to it since.
 */
export async function removeSourceBranch(
  core: Core,
  row: MergeRequestRow,
  { caller, sides }: { caller: Actor; sides: Sides },
): Promise<void> {
  const wanted = row.should_remove_source_branch ?? row.force_remove_source_branch;
  if (!wanted || row.sha === null || sides.source === null || row.state !== 'merged') return;
  const { project, branch } = sides.source;
  if (branch === project.default_branch) return;
  const access = await core.access.project(caller, project);
  const rights = await branchRights({ core, project, access }, branch);
  if (rights.protected || !rights.mayPush) return;
  try {
    const update = { ref: `refs/heads/${branch}`, old: row.sha, new: null };
    await core.refUpdates.update(project, [update], { userId: caller.user.id, via: 'api' });
  } catch (error) {
    // The branch is at another commit, or gone: what was pushed after the merge is not thrown away.
    if (!(error instanceof RefConflict)) throw error;
  }
}
