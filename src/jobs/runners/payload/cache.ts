import { createHash } from 'node:crypto';
import { lastCommitFor } from '../../../git/log.ts';
import type { Repository } from '../../../git/repository.ts';
import type { CachePlan } from '../../config/plan.ts';

export interface CachePayload {
  key: string;
  untracked: boolean;
  paths: string[];
  policy: string;
  when: string;
  fallback_keys: string[];
}

/** Whose cache it is: protected refs have their own, so that nobody without rights there can poison it. */
interface Place {
  repo: Repository;
  sha: string;
  isProtected: boolean;
}

export const cachePayloads = (plans: readonly CachePlan[], place: Place): Promise<CachePayload[]> =>
  Promise.all(plans.map((plan) => cachePayload(plan, place)));

async function cachePayload(plan: CachePlan, place: Place): Promise<CachePayload> {
  const suffix = place.isProtected && !plan.unprotect ? '-protected' : '-non_protected';
  const key = typeof plan.key === 'string' ? plan.key : await keyOfFiles(plan.key, place);
  return {
    key: key + suffix,
    untracked: plan.untracked,
    paths: plan.paths,
    policy: plan.policy,
    when: plan.when,
    fallback_keys: plan.fallbackKeys.map((fallback) => fallback + suffix),
  };
}

/** A hash over the commits that last changed the files; `default` where none of them is there, as in GitLab. */
async function keyOfFiles(
  { files, prefix }: Exclude<CachePlan['key'], string>,
  { repo, sha }: Place,
): Promise<string> {
  const commits = await Promise.all(files.map((path) => lastCommitFor(repo, sha, path)));
  const known = [...new Set(commits.filter((commit) => commit !== null))].sort();
  const key = known.length > 0 ? createHash('sha1').update(known.join('-')).digest('hex') : 'default';
  return prefix ? `${prefix}-${key}` : key;
}
