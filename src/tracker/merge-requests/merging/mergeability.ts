import type { ProjectSettings } from '../../../core/projects/settings.ts';
import { isAncestor } from '../../../git/ancestry.ts';
import { mergeTrees } from '../../../git/merge.ts';
import type { Repository } from '../../../git/repository.ts';
import type { MergeRequestRow, MergeStatus } from '../../tables.ts';

/** Whether and why not a merge request can be merged. */

/** By git itself, from the two commits alone: the answer never changes for them. */
export async function mergeStatusOf(
  repo: Repository,
  { source, target }: { source: string; target: string },
  signal?: AbortSignal,
): Promise<Exclude<MergeStatus, 'unchecked'>> {
  if (await isAncestor(repo, target, source, signal)) return 'can_be_merged';
  const merged = await mergeTrees(repo, { ours: target, theirs: source, signal });
  return 'tree' in merged ? 'can_be_merged' : 'cannot_be_merged';
}

/** What `merge_status_of` holds for this pair. */
export const statusKey = (source: string, target: string): string => `${source} ${target}`;

export interface MergeFacts {
  /** Both branches are there, and there is something to merge. */
  complete: boolean;
  /** The project wants threads resolved first, and some are not. */
  discussionsOpen: boolean;
  /** The project wants a pipeline that succeeded: what keeps it from merging, null for nothing. */
  pipeline: 'ci_must_pass' | 'ci_still_running' | null;
  /** The project merges only what is on top of the target branch, and this is not. */
  needsRebase: boolean;
}

/** GitLab's word for what a merge request waits for; the first hindrance in GitLab's order. */
export function detailedMergeStatus(
  mergeRequest: Pick<MergeRequestRow, 'state' | 'draft' | 'merge_status'>,
  facts: MergeFacts,
): string {
  if (mergeRequest.state !== 'opened') return 'not_open';
  if (mergeRequest.draft === 1) return 'draft_status';
  if (!facts.complete) return 'commits_status';
  if (facts.discussionsOpen) return 'discussions_not_resolved';
  if (facts.pipeline) return facts.pipeline;
  if (mergeRequest.merge_status === 'unchecked') return 'unchecked';
  if (mergeRequest.merge_status === 'cannot_be_merged') return 'conflict';
  return facts.needsRebase ? 'need_rebase' : 'mergeable';
}

/** The project may decide for everybody. */
export function squashes(option: ProjectSettings['squash_option'], asked: boolean): boolean {
  if (option === 'always') return true;
  return option === 'never' ? false : asked;
}
