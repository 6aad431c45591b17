import { countCommits, mergeBase } from '../../../git/ancestry.ts';
import { listCommits } from '../../../git/log.ts';
import { mergeTrees } from '../../../git/merge.ts';
import { type Commit, type Identity, readCommit } from '../../../git/objects.ts';
import type { Repository } from '../../../git/repository.ts';
import { writeCommit } from '../../../git/write.ts';

/** The commits that merge a request, written and waiting for the target branch to move. */
export interface MergeCommits {
  /** What the target branch will point at. */
  tip: string;
  /** null where the branch only moves forward. */
  mergeCommit: string | null;
  squashCommit: string | null;
}

export interface MergePlan {
  source: string;
  target: string;
  method: 'merge' | 'rebase_merge' | 'ff';
  squash: boolean;
  /** Of the change itself, for a squashed commit. */
  author: Identity;
  committer: Identity;
  /** Newest commits first. */
  mergeMessage: (commits: readonly Commit[]) => string;
  /** `custom` says that it was asked for, and not the usual one. */
  squashMessage: (commits: readonly Commit[]) => { text: string; custom: boolean };
}

/** Messages quote no more commits than this. */
const MAX_QUOTED = 100;

/** Null when the two conflict. Without a merge commit the source must be ahead of the target: the caller has looked. */
export async function writeMerge(
  repo: Repository,
  plan: MergePlan,
  signal?: AbortSignal,
): Promise<MergeCommits | null> {
  const range = `${plan.target}..${plan.source}`;
  const commits = await listCommits(repo, { from: range, limit: MAX_QUOTED, signal });
  const squashCommit = plan.squash ? await writeSquash(repo, plan, commits, signal) : null;
  const theirs = squashCommit ?? plan.source;
  if (plan.method === 'ff') return { tip: theirs, mergeCommit: null, squashCommit };
  const merged = await mergeTrees(repo, { ours: plan.target, theirs, ...(signal && { signal }) });
  if (!('tree' in merged)) return null;
  const mergeCommit = await writeCommit(repo, {
    tree: merged.tree,
    parents: [plan.target, theirs],
    author: plan.committer,
    committer: plan.committer,
    message: plan.mergeMessage(commits),
  });
  return { tip: mergeCommit, mergeCommit, squashCommit };
}

/** One commit with what all of them changed; a single one that keeps its message stays what it is. */
async function writeSquash(
  repo: Repository,
  plan: MergePlan,
  commits: readonly Commit[],
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const { source, target, author, committer } = plan;
  const { text, custom } = plan.squashMessage(commits);
  const count = await countCommits(repo, `${target}..${source}`, { signal });
  if (count <= 1 && !custom) return null;
  const base = await mergeBase(repo, [target, source], signal);
  const head = await readCommit(repo, source, signal);
  if (!base || !head) return null;
  return writeCommit(repo, { tree: head.tree, parents: [base], author, committer, message: text });
}
