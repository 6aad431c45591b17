import { listRefs, resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';

export interface FirstPush {
  branch: string;
  /** It is the first branch of all: GitLab protects the default branch from then on. */
  protect: boolean;
}

export const BRANCHES = 'refs/heads/';
export const TAGS = 'refs/tags/';

/**
 * What branches that have just been made mean for a project whose default branch is not there: the default branch itself if
 * it is among them, else the one HEAD names, else the first. Null when the default branch was there before.
 */
export async function firstPush(
  repo: Repository,
  current: string | null,
  created: string[],
): Promise<FirstPush | null> {
  if (created.length === 0) return null;
  const existed = current !== null && !created.includes(current) && (await hasBranch(repo, current));
  if (existed) return null;
  const wasEmpty = (await listRefs(repo, BRANCHES)).length <= created.length;
  const wanted = current ?? (await repo.head());
  if (created.includes(wanted)) return { branch: wanted, protect: wasEmpty };
  // Beside other branches a default branch that is not there is the owner's business.
  return wasEmpty ? { branch: created[0]!, protect: true } : null;
}

export async function hasBranch(repo: Repository, branch: string): Promise<boolean> {
  return (await resolveRef(repo, BRANCHES + branch)) !== null;
}

/** `refs/heads/a/b` to `a/b`; null for what is no branch. */
export function branchOf(ref: string): string | null {
  return ref.startsWith(BRANCHES) ? ref.slice(BRANCHES.length) : null;
}
