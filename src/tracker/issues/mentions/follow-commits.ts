import type { Core } from '../../../core/core.ts';
import { projectSettings } from '../../../core/projects/settings.ts';
import { findProjectById } from '../../../core/projects/store.ts';
import type { RefMoved } from '../../../core/repository/events.ts';
import { listCommits } from '../../../git/log.ts';
import type { Commit } from '../../../git/objects.ts';
import { RepositoryNotFound } from '../../../git/repository.ts';
import { openIntoBranch } from '../../merge-requests/store.ts';
import { mergeRequestByMergeCommit } from '../../merge-requests/versions/commits-store.ts';
import { closeByCommit } from './close.ts';
import { namedIssues } from './named.ts';
import { issueReferences } from './references.ts';

/** GitLab looks at so many commits of a push, the newest. */
const MAX_COMMITS = 100;

/** Commits that reach the default branch close what their messages say they close. Every step may come twice. */
export function followCommits(core: Core): void {
  core.events.subscribe('tracker.closing-commits', ['ref.moved'], ({ payload }) =>
    closeByPush(core, payload),
  );
}

async function closeByPush(core: Core, { projectId, ref, oldOid, newOid, origin }: RefMoved): Promise<void> {
  if (newOid === null || origin.userId === null || origin.via === 'import') return;
  const project = await findProjectById(core.db, projectId);
  if (!project || ref !== `refs/heads/${project.default_branch}`) return;
  if (!projectSettings(project).autoclose_referenced_issues) return;
  const commits = await pushed(core, project, oldOid, newOid);
  // The message of a merge commit repeats what the merge request itself closes.
  const open = await openIntoBranch(core.db, projectId, project.default_branch ?? '');
  const merging = new Set(open.map((row) => row.in_progress_merge_commit_sha));
  for (const commit of commits.toReversed()) {
    const references = issueReferences(commit.message, core.baseUrl()).filter(({ closes }) => closes);
    if (references.length === 0) continue;
    const named = await namedIssues(core, project, references, true);
    if (merging.has(commit.id) || (await mergeRequestByMergeCommit(core.db, projectId, commit.id))) continue;
    await closeByCommit(core, named.keys(), { id: commit.id, projectId, userId: origin.userId });
  }
}

/** New to the branch, the newest first. */
async function pushed(
  core: Core,
  project: { storage_path: string },
  oldOid: string | null,
  newOid: string,
): Promise<Commit[]> {
  try {
    const from = oldOid === null ? newOid : `${oldOid}..${newOid}`;
    return await listCommits(core.repositoryOf(project), { from, limit: MAX_COMMITS });
  } catch (error) {
    if (error instanceof RepositoryNotFound) return []; // deleted meanwhile
    throw error;
  }
}
