import type { Core } from '../../../core/core.ts';
import { findUser } from '../../../core/users/store.ts';
import { RefConflict } from '../../../git/ref-update.ts';
import { RepositoryNotFound } from '../../../git/repository.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { sidesOf } from '../branches.ts';
import { findMergeRequestById, updateMergeRequestRow } from '../store.ts';
import { advance } from '../versions/advance.ts';
import { type Branches, fetchCommit, tipsOf } from '../versions/version.ts';
import { MAX_REPLAYED, replay } from './replay.ts';
import '../../events.ts';

/** GitLab's words. */
const CONFLICT = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.';
const GONE = 'Rebase failed: a branch does not exist any more.';
const RESTLESS = 'Rebase failed: the source branch is being pushed to. Try again later.';
const TOO_LONG = `Rebase failed: more than ${MAX_REPLAYED} commits. Rebase locally, then push the branch.`;

/** Rebases what `requestRebase` was asked for. A process that is killed meanwhile leaves the event, and the next one begins again. */
export function followRebaseRequests(core: Core): void {
  core.events.subscribe('tracker.rebase', ['merge_request.rebase_requested'], async ({ payload }) => {
    const row = await findMergeRequestById(core.db, payload.mergeRequestId);
    if (row?.rebase_in_progress !== 1) return;
    const error = await rebase(core, row, payload);
    await updateMergeRequestRow(core.db, row.id, { rebase_in_progress: 0, merge_error: error });
  });
}

interface Asked {
  userId: number | null;
  skipCi: boolean;
}

/** What went wrong, in words for people; null when the source branch is on top of the target branch now. */
async function rebase(core: Core, row: MergeRequestRow, asked: Asked): Promise<string | null> {
  // Merged or closed meanwhile: nobody waits for it any more.
  if (row.state !== 'opened') return null;
  const sides = await sidesOf(core, row);
  if (!sides?.source) return GONE;
  const branches = { source: sides.source, target: sides.target };
  try {
    const error = await moveSource(core, branches, asked);
    // Whoever waits for the end wants to see the new commits then.
    if (error === null) await advance(core, row, branches, asked.userId);
    return error;
  } catch (error) {
    if (error instanceof RepositoryNotFound) return GONE;
    if (error instanceof RangeError) return TOO_LONG;
    throw error;
  }
}

// A branch that somebody has pushed to each time is under heavy fire.
const ATTEMPTS = 3;

async function moveSource(core: Core, branches: Branches, asked: Asked): Promise<string | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { sourceTip, targetTip } = await tipsOf(core, branches);
    if (sourceTip === null || targetTip === null) return GONE;
    const head = await rebased(core, branches, { sourceTip, targetTip, userId: asked.userId });
    if (head === null) return CONFLICT;
    if (head === sourceTip || (await moved(core, branches.source, { from: sourceTip, to: head }, asked)))
      return null;
  }
  return RESTLESS;
}

/** Null when a commit conflicts. All of it happens in the repository of the source: that is where the branch is. */
async function rebased(
  core: Core,
  { source, target }: Branches,
  { sourceTip, targetTip, userId }: { sourceTip: string; targetTip: string; userId: number | null },
): Promise<string | null> {
  const repo = core.repositoryOf(source.project);
  if (source.project.id !== target.project.id) {
    await fetchCommit(repo, core.repositoryOf(target.project), targetTip);
  }
  const user = userId === null ? undefined : await findUser(core.db, userId);
  const { name, email } = user ?? { name: 'Ghost User', email: '' };
  const committer = { name, email, date: core.clock.now(), offset: '+00:00' };
  const result = await replay(repo, { onto: targetTip, head: sourceTip, committer });
  return 'head' in result ? result.head : null;
}

/** False when somebody has pushed meanwhile. */
async function moved(
  core: Core,
  { project, branch }: Branches['source'],
  { from, to }: { from: string; to: string },
  { userId, skipCi }: Asked,
): Promise<boolean> {
  const update = { ref: `refs/heads/${branch}`, old: from, new: to };
  const origin = { userId, via: 'api' as const, ...(skipCi && { pushOptions: ['ci.skip'] }) };
  try {
    await core.refUpdates.update(project, [update], origin);
    return true;
  } catch (error) {
    if (error instanceof RefConflict) return false;
    throw error;
  }
}
