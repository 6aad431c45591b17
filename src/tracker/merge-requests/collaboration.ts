import type { Actor } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { RefRules } from '../../core/repository/push-rules.ts';
import type { MergeRequestRow } from '../tables.ts';
import { openToCollaboration } from './store.ts';

/**
 * The branches of a fork that open merge requests with `allow_collaboration` offer to the caller: he must be able to merge
 * them, and, as GitLab has it, neither side may be private.
 */
export async function collaborationBranches(
  core: Core,
  fork: ProjectWithNamespace,
  caller: Actor,
): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  if (fork.visibility === 'private') return open;
  const byTarget = Map.groupBy(await openToCollaboration(core.db, fork.id), (row) => row.project_id);
  for (const [targetId, rows] of byTarget) {
    const mayMerge = await mergeRight(core, caller, targetId);
    for (const row of rows) if (mayMerge(row)) open.add(row.source_branch);
  }
  return open;
}

/** Only a right of his own counts in the target: else two requests in a circle would grant each other. */
async function mergeRight(
  core: Core,
  caller: Actor,
  projectId: number,
): Promise<(row: MergeRequestRow) => boolean> {
  const nowhere = () => false;
  const project = await findProjectById(core.db, projectId);
  if (!project || project.visibility === 'private') return nowhere;
  const access = await core.access.project(caller, project);
  if (!access.can('push_code')) return nowhere;
  const rules = await RefRules.load({ core, project, access });
  return ({ target_branch: branch }) => rules.branch(branch).mayMerge || rules.branch(branch).mayPush;
}
