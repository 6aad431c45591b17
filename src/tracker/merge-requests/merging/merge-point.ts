import { isAncestor } from '../../../git/ancestry.ts';
import type { Repository } from '../../../git/repository.ts';

/** A push of more commits is searched only this far back. */
const MAX_PUSHED = 10_000;

/**
 * The commit on the branch's own line by which `sha` came into it: a merge commit, or `sha` itself where the branch moved
 * forward. It is the first from which `sha` can be reached, found by halving.
 */
export async function findMergeCommit(
  repo: Repository,
  { sha, from, to }: { sha: string; from: string | null; to: string },
): Promise<string> {
  const range = from === null ? to : `${from}..${to}`;
  const args = ['rev-list', '--first-parent', `--max-count=${MAX_PUSHED}`, range, '--'];
  const newestFirst = (await repo.run(args)).toString('latin1').split('\n').slice(0, -1);
  if (newestFirst.includes(sha)) return sha;
  let has = 0;
  let hasNot = newestFirst.length;
  while (hasNot - has > 1) {
    const middle = (has + hasNot) >> 1;
    if (await isAncestor(repo, sha, newestFirst[middle]!)) has = middle;
    else hasNot = middle;
  }
  return newestFirst[has] ?? to;
}
