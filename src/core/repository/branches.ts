import { mergedTips } from '../../git/merged.ts';
import { readCommits } from '../../git/objects.ts';
import { isValidBranchName } from '../../git/ref-name.ts';
import { RefConflict, RefNameClash } from '../../git/ref-update.ts';
import { listRefs, type Ref, resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { resolveRevision } from '../../git/revision.ts';
import { fail } from '../../platform/errors.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import type { InProject } from '../guards.ts';
import { createCommit } from './create-commit.ts';
import { BRANCHES } from './default-branch.ts';
import { PUSH_TEXTS, RefRules } from './push-rules.ts';
import { unlessRemoved } from './reading.ts';
import { readsAsCommitId } from './ref-rules.ts';
import { matchesPattern, matchesSearch } from './ref-search.ts';

export const BRANCH_SORTS = ['name_asc', 'updated_asc', 'updated_desc'] as const;

export interface BranchFilter {
  search?: string | null | undefined;
  regex?: string | null | undefined;
  sort?: (typeof BRANCH_SORTS)[number] | null | undefined;
}

/** Every branch that the filter lets through, in its order. */
export async function findBranches(
  repo: Repository,
  { search, regex, sort }: BranchFilter,
  signal: AbortSignal,
): Promise<readonly Ref[]> {
  let refs = await unlessRemoved(listRefs(repo, BRANCHES));
  const nameOf = (ref: Ref) => ref.name.slice(BRANCHES.length);
  if (search) {
    const fits = matchesSearch(search);
    refs = refs.filter((ref) => fits(nameOf(ref)));
  }
  if (regex) {
    const fits = await matchesPattern(regex);
    refs = refs.filter((ref) => fits(nameOf(ref)));
  }
  return sort?.startsWith('updated')
    ? byDate(repo, refs, { newestFirst: sort === 'updated_desc', signal })
    : refs;
}

async function byDate(
  repo: Repository,
  refs: readonly Ref[],
  { newestFirst, signal }: { newestFirst: boolean; signal: AbortSignal },
): Promise<Ref[]> {
  const commits = await readCommits(
    repo,
    refs.map((ref) => ref.oid),
    signal,
  );
  const direction = newestFirst ? -1 : 1;
  return refs
    .map((ref, index) => ({ ref, date: commits[index]?.committer.date ?? 0 }))
    .sort((a, b) => direction * (a.date - b.date))
    .map(({ ref }) => ref);
}

/** 400 for a name that can be no branch, 404 when there is none. */
export async function findBranch(repo: Repository, name: string): Promise<Ref> {
  if (!isValidBranchName(name)) throw fail.refused('The branch refname is invalid');
  const oid = await unlessRemoved(resolveRef(repo, BRANCHES + name));
  if (oid === null) throw fail.notFound('Branch');
  return { name: BRANCHES + name, oid };
}

export interface NewBranch {
  name: string;
  /** A branch, a tag or a commit. */
  ref: string;
  signal: AbortSignal;
}

export async function createBranch(
  core: Core,
  caller: Actor,
  { project, access }: InProject,
  { name, ref, signal }: NewBranch,
): Promise<Ref> {
  const repo = core.repositoryOf(project);
  if (!isValidBranchName(name)) throw fail.refused('Branch name is invalid');
  await beginIfEmpty(core, caller, { project, access });
  if (await resolveRef(repo, BRANCHES + name)) throw fail.refused('Branch already exists');
  const oid = await unlessRemoved(resolveRevision(repo, ref, signal));
  if (oid === null) throw fail.refused(`Invalid reference name: ${ref}`);
  if (readsAsCommitId(name)) throw fail.refused(PUSH_TEXTS.hexName);
  const rules = await RefRules.load({ core, project, access });
  if (!rules.branch(name).mayPush) throw fail.refused(PUSH_TEXTS.protectedCreate);
  const update = { ref: BRANCHES + name, old: null, new: oid };
  try {
    await core.refUpdates.update(project, [update], { userId: caller.user.id, via: 'api' });
  } catch (error) {
    if (error instanceof RefConflict) throw fail.refused('Branch already exists');
    if (error instanceof RefNameClash) throw fail.refused(`Failed to create branch '${name}'`);
    throw error;
  }
  return { name: update.ref, oid };
}

/** As on GitLab: a branch cannot hang in the air, so an empty repository first gets its default branch with an empty README. */
async function beginIfEmpty(core: Core, caller: Actor, { project, access }: InProject): Promise<void> {
  const refs = await unlessRemoved(listRefs(core.repositoryOf(project), BRANCHES));
  if (refs.length > 0 || project.default_branch === null) return;
  await createCommit(core, {
    caller,
    access,
    project,
    branch: project.default_branch,
    actions: [{ action: 'create', filePath: 'README.md' }],
    message: 'Add README.md',
  });
}

export async function deleteBranch(
  core: Core,
  caller: Actor,
  { project, access }: InProject,
  name: string,
): Promise<void> {
  const branch = await findBranch(core.repositoryOf(project), name);
  const rules = await RefRules.load({ core, project, access });
  if (rules.isDefault(name)) throw fail.forbidden(PUSH_TEXTS.defaultDelete);
  const verdict = rules.branch(name);
  if (!verdict.mayDelete) {
    throw fail.forbidden(verdict.protected ? PUSH_TEXTS.protectedDeleteNotAllowed : undefined);
  }
  const update = { ref: branch.name, old: branch.oid, new: null };
  try {
    await core.refUpdates.update(project, [update], { userId: caller.user.id, via: 'api' });
  } catch (error) {
    if (error instanceof RefConflict) throw fail.refused('Failed to remove branch');
    throw error;
  }
}

/** Refs of one update; more are done in several. */
const DELETE_BATCH = 500;

/** Deletes every branch whose commits the default branch has, but not that one itself and none that is protected. */
export async function deleteMergedBranches(
  core: Core,
  caller: Actor,
  { project, access }: InProject,
  signal: AbortSignal,
): Promise<void> {
  const repo = core.repositoryOf(project);
  const root = project.default_branch && (await resolveRef(repo, BRANCHES + project.default_branch));
  if (!root) return;
  const refs = await listRefs(repo, BRANCHES);
  const merged = await mergedTips(repo, refs, root, signal);
  const rules = await RefRules.load({ core, project, access });
  const going = refs.filter((ref) => {
    const name = ref.name.slice(BRANCHES.length);
    return merged.has(ref.oid) && !rules.isDefault(name) && !rules.branch(name).protected;
  });
  for (let at = 0; at < going.length; at += DELETE_BATCH) {
    await deleteUnmoved(core, caller, project, going.slice(at, at + DELETE_BATCH));
  }
}

/** Together where that works; one by one when some branch has got a commit meanwhile, which then stays. */
async function deleteUnmoved(
  core: Core,
  caller: Actor,
  project: InProject['project'],
  refs: readonly Ref[],
): Promise<void> {
  const updates = refs.map((ref) => ({ ref: ref.name, old: ref.oid, new: null }));
  try {
    await core.refUpdates.update(project, updates, { userId: caller.user.id, via: 'api' });
  } catch (error) {
    if (!(error instanceof RefConflict)) throw error;
    if (refs.length === 1) return;
    for (const ref of refs) await deleteUnmoved(core, caller, project, [ref]);
  }
}
