import { isAncestor } from '../../../git/ancestry.ts';
import { cherryPickTree } from '../../../git/merge.ts';
import { type Commit, type Identity, readCommit } from '../../../git/objects.ts';
import type { Repository } from '../../../git/repository.ts';
import { writeCommit } from '../../../git/write.ts';

/** Commits made again on top of others, one by one, without a work tree (`git replay` came with git 2.44 only). */

export type Replayed = { head: string } | { conflictIn: string };

/** A branch of more is not for a service to rebase: each takes some 20 ms. */
export const MAX_REPLAYED = 2000;

/**
 * What `git rebase onto head` gives: merges are left out, and so is what is in `onto` already. Nothing moves; the new commits
 * wait for a ref. Throws RangeError for more commits than `MAX_REPLAYED`.
 */
export async function replay(
  repo: Repository,
  { onto, head, committer }: { onto: string; head: string; committer: Identity },
  signal?: AbortSignal,
): Promise<Replayed> {
  if (await isAncestor(repo, onto, head, signal)) return { head };
  const commits = await commitsToReplay(repo, onto, head, signal);
  if (commits.length > MAX_REPLAYED) throw new RangeError(`more than ${MAX_REPLAYED} commits`);
  let tip = onto;
  for (const oid of commits) {
    const commit = await readCommit(repo, oid, signal);
    if (!commit) throw new Error(`no commit ${oid}`);
    const next = await applyOn(repo, { commit, tip, committer }, signal);
    if (next === null) return { conflictIn: oid };
    tip = next;
  }
  return { head: tip };
}

/** Oldest first. Both are ids. */
async function commitsToReplay(
  repo: Repository,
  onto: string,
  head: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const range = ['--right-only', '--cherry-pick', '--no-merges', '--topo-order', '--reverse'];
  const args = ['rev-list', ...range, `${onto}...${head}`, '--'];
  return (await repo.run(args, { signal })).toString('latin1').split('\n').slice(0, -1);
}

/** Null when it conflicts. A commit that has become empty is left out, one that always was stays. */
async function applyOn(
  repo: Repository,
  { commit, tip, committer }: { commit: Commit; tip: string; committer: Identity },
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const picked = await cherryPickTree(repo, commit.id, tip, signal);
  if ('conflict' in picked) return null;
  if ('empty' in picked && !(await isEmpty(repo, commit, signal))) return tip;
  const tree = 'tree' in picked ? picked.tree : (await readCommit(repo, tip, signal))!.tree;
  return writeCommit(repo, {
    tree,
    parents: [tip],
    author: commit.author,
    committer,
    message: commit.message,
  });
}

async function isEmpty(repo: Repository, commit: Commit, signal: AbortSignal | undefined): Promise<boolean> {
  const parent = commit.parents[0] && (await readCommit(repo, commit.parents[0], signal));
  return Boolean(parent) && parent !== null && (parent as Commit).tree === commit.tree;
}
