import type { Core } from '../../../core/core.ts';
import { findProjectById } from '../../../core/projects/store.ts';
import type { RefMoved } from '../../../core/repository/events.ts';
import { isAncestor } from '../../../git/ancestry.ts';
import { readInfo } from '../../../git/objects.ts';
import { type Repository, RepositoryNotFound } from '../../../git/repository.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { sidesOf } from '../branches.ts';
import { markMerged } from '../merging/finish.ts';
import { findMergeCommit } from '../merging/merge-point.ts';
import { findMergeRequestById, forgetMergeStatus, openFromBranch, openIntoBranch } from '../store.ts';
import { advance } from './advance.ts';
import { keepHead } from './refs.ts';
import '../../events.ts';

/** Merge requests follow their branches, whoever moves them and however. Every step may come twice. */
export function followBranches(core: Core): void {
  core.events.subscribe('tracker.merge-requests', ['ref.moved'], ({ payload }) => branchMoved(core, payload));
  core.events.subscribe(
    'tracker.merge-request-heads',
    ['merge_request.opened', 'merge_request.updated', 'merge_request.reopened'],
    async ({ payload }) => {
      const row = await findMergeRequestById(core.db, payload.mergeRequestId);
      const project = row && (await findProjectById(core.db, row.project_id));
      if (row && project) await unlessGone(keepHead(core, project, row));
    },
  );
}

const BRANCHES = 'refs/heads/';

async function branchMoved(core: Core, moved: RefMoved): Promise<void> {
  if (!moved.ref.startsWith(BRANCHES)) return;
  const branch = moved.ref.slice(BRANCHES.length);
  await unlessGone(targetMoved(core, moved, branch));
  await unlessGone(sourceMoved(core, moved, branch));
}

/** What was pushed may hold what was offered: then it is merged, by whoever pushed. */
async function targetMoved(core: Core, moved: RefMoved, branch: string): Promise<void> {
  const { projectId, newOid, origin } = moved;
  const open = await openIntoBranch(core.db, projectId, branch);
  const project = open.length > 0 && newOid !== null && (await findProjectById(core.db, projectId));
  if (project) {
    const repo = core.repositoryOf(project);
    for (const row of open) {
      const ending = await mergedBy(repo, row, moved);
      if (ending) await markMerged(core, row, { userId: origin.userId, mergeCommitSha: ending.commit });
    }
  }
  await forgetMergeStatus(core.db, projectId, branch);
}

/** Null when the move did not merge it. A branch that only moved forward has no merge commit. */
async function mergedBy(
  repo: Repository,
  row: MergeRequestRow,
  { oldOid, newOid }: RefMoved,
): Promise<{ commit: string | null } | null> {
  const { in_progress_merge_commit_sha: inProgress, sha, base_sha: base } = row;
  if (newOid === null || !(await readInfo(repo, newOid))) return null;
  if (inProgress && (await brings(repo, inProgress, oldOid, newOid))) {
    const forward = inProgress === sha || inProgress === row.squash_commit_sha;
    return { commit: forward ? null : inProgress };
  }
  if (sha === null || sha === base || !(await brings(repo, sha, oldOid, newOid))) return null;
  return { commit: await findMergeCommit(repo, { sha, from: oldOid, to: newOid }) };
}

/** Whether the commit is in the branch now and was not before. */
async function brings(repo: Repository, oid: string, before: string | null, now: string): Promise<boolean> {
  if (!(await readInfo(repo, oid)) || !(await isAncestor(repo, oid, now))) return false;
  return before === null || !(await readInfo(repo, before)) || !(await isAncestor(repo, oid, before));
}

/** A deleted branch leaves its requests open, with what was offered last. */
async function sourceMoved(
  core: Core,
  { projectId, newOid, origin }: RefMoved,
  branch: string,
): Promise<void> {
  if (newOid === null) return;
  for (const row of await openFromBranch(core.db, projectId, branch)) {
    const sides = await sidesOf(core, row);
    if (!sides?.source) continue;
    const { source, target } = sides;
    await advance(core, row, { source, target }, origin.userId);
  }
}

/** A repository that is being deleted needs nothing any more. */
async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RepositoryNotFound)) throw error;
  }
}
