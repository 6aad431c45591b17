import { isAncestor } from '../../git/ancestry.ts';
import { borrowCommit } from '../../git/borrow.ts';
import { lastCommitFor } from '../../git/log.ts';
import { isOid, readCommit } from '../../git/objects.ts';
import { isValidBranchName } from '../../git/ref-name.ts';
import { InvalidRef, RefConflict, RefNameClash } from '../../git/ref-update.ts';
import { listRefs, resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { resolveRevision } from '../../git/revision.ts';
import { editTree, type TreeAction, TreeEditError } from '../../git/tree-edit.ts';
import { writeCommit } from '../../git/write.ts';
import { fail } from '../../platform/errors.ts';
import type { ProjectAccess } from '../access/access.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import type { ProjectWithNamespace } from '../projects/find.ts';
import { type CommitAction, treeActions } from './commit-actions.ts';
import { BRANCHES } from './default-branch.ts';
import { landCommit } from './land-commit.ts';
import { branchRights, PUSH_TEXTS } from './push-rules.ts';
import { readsAsCommitId } from './ref-rules.ts';

export type { CommitAction } from './commit-actions.ts';

export interface NewCommitInput {
  caller: Actor;
  access: ProjectAccess;
  project: ProjectWithNamespace;
  /** The branch that gets the commit; made when it is not there and a start is given, or the repository is empty. */
  branch: string;
  /** `branch` itself when neither start is given. */
  startBranch?: string | null | undefined;
  /** A full commit id. */
  startSha?: string | null | undefined;
  /** Where the start is looked up (`findStartProject` checks the right to it); the project itself when left out. */
  startProject?: ProjectWithNamespace | null | undefined;
  /** Lets an existing branch be moved to a commit on top of another start. */
  force?: boolean | null | undefined;
  actions: readonly CommitAction[];
  message: string;
  author?: { name?: string | null | undefined; email?: string | null | undefined } | undefined;
  /** What a file that has changed meanwhile is refused with; GitLab's words for several files when left out. */
  staleText?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Makes one commit of the actions, all or none, and moves the branch to it; returns its id. Refusals come in GitLab's words
 * and order: 403 without the right to push, 400 for the rest. A commit that landed on the branch meanwhile is built upon.
 */
export async function createCommit(core: Core, input: NewCommitInput): Promise<string> {
  const rights = await branchRights({ core, ...input }, input.branch);
  if (!rights.mayPush) throw fail.forbidden('You are not allowed to push into this branch');
  const edits = treeActions(input.actions);
  const repo = core.repositoryOf(input.project);
  const { project, branch, caller } = input;
  const origin = { userId: caller.user.id, via: 'api' } as const;
  const build = async () => {
    const { tip, start } = await findBase(core, repo, input);
    await refuseStaleFiles(repo, start, input);
    const commit = await writeOnto(core, repo, { input, edits, start });
    if (!rights.mayForcePush && start !== tip) await refuseForce(repo, tip, commit);
    return { tip, commit };
  };
  try {
    return await landCommit(core, { repository: project, branch, origin }, build);
  } catch (error) {
    throw explain(error, branch);
  }
}

interface Base {
  /** What the branch points at now. */
  tip: string | null;
  /** The parent of the new commit; null in an empty repository. */
  start: string | null;
}

async function findBase(core: Core, repo: Repository, input: NewCommitInput): Promise<Base> {
  const { project, branch, startBranch, startSha, startProject, force } = input;
  const source = startProject && startProject.id !== project.id ? core.repositoryOf(startProject) : repo;
  const start = await findStart(source, input);
  const tip = await resolveRef(repo, BRANCHES + branch);
  const elsewhere = source !== repo || Boolean(startSha) || (startBranch || branch) !== branch;
  if (elsewhere && tip !== null && !force) {
    throw fail.refused(
      `A branch called '${branch}' already exists. Switch to that branch in order to make changes`,
    );
  }
  if (tip === null && !isValidBranchName(branch)) throw refusedName(branch, 'Branch name is invalid');
  if (tip === null && readsAsCommitId(branch)) throw fail.refused(PUSH_TEXTS.hexName);
  if (start !== null && source !== repo) await borrowCommit(repo, source, start, input.signal);
  return { tip, start };
}

async function findStart(source: Repository, input: NewCommitInput): Promise<string | null> {
  const { branch, startBranch, startSha } = input;
  if (startSha && startBranch) throw fail.refused("You can't pass both start_branch and start_sha");
  if (startSha) return findStartSha(source, startSha, input.signal);
  const start = await resolveRef(source, BRANCHES + (startBranch || branch));
  if (start !== null) return start;
  const isEmpty = (await listRefs(source, BRANCHES)).length === 0;
  if (isEmpty) return null;
  throw fail.refused('You can only create or edit files when you are on a branch');
}

async function findStartSha(source: Repository, sha: string, signal?: AbortSignal): Promise<string> {
  const id = sha.toLowerCase();
  if (!isOid(id)) throw fail.refused(`Invalid start_sha '${sha}'`);
  const commit = await readCommit(source, id, signal);
  if (commit === null) throw fail.refused(`Cannot find start_sha '${sha}'`);
  return commit.id;
}

/** A file whose last commit is another one on the start than it was for the caller. What cannot be found is no conflict. */
async function refuseStaleFiles(
  repo: Repository,
  start: string | null,
  { actions, staleText, signal }: NewCommitInput,
): Promise<void> {
  if (start === null) return;
  for (const action of actions) {
    if (!action.lastCommitId || action.action === 'create') continue;
    const path = action.previousPath || action.filePath;
    const known = await resolveRevision(repo, action.lastCommitId, signal);
    const before = known && (await lastCommitFor(repo, known, path, signal));
    const now = before && (await lastCommitFor(repo, start, path, signal));
    if (now && now !== before) {
      throw fail.refused(staleText ?? `The file has changed since you started editing it: ${path}`);
    }
  }
}

interface Work {
  input: NewCommitInput;
  edits: TreeAction[];
  start: string | null;
}

async function writeOnto(core: Core, repo: Repository, { input, edits, start }: Work): Promise<string> {
  const parent = start === null ? null : await readCommit(repo, start, input.signal);
  const tree = await editTree(repo, parent?.tree ?? null, edits, input.signal).catch((error: unknown) => {
    throw error instanceof TreeEditError ? fail.refused(error.message) : error;
  });
  const { user } = input.caller;
  const committer = { name: user.name, email: user.email, date: core.clock.now(), offset: '+00:00' };
  const author = {
    ...committer,
    name: input.author?.name?.trim() || user.name,
    email: input.author?.email?.trim() || user.email,
  };
  const parents = parent ? [parent.id] : [];
  return writeCommit(repo, { tree, parents, author, committer, message: input.message });
}

/** A protected branch only moves on, unless its rule says otherwise. */
async function refuseForce(repo: Repository, tip: string | null, commit: string): Promise<void> {
  if (tip === null || (await isAncestor(repo, tip, commit))) return;
  throw fail.refused(PUSH_TEXTS.protectedForce);
}

const refusedName = (branch: string, reason: string) =>
  fail.refused(`Something went wrong when we tried to create '${branch}' for you: ${reason}`);

function explain(error: unknown, branch: string): unknown {
  if (error instanceof RefConflict) return fail.conflict('409 Conflict: Resource lock');
  if (error instanceof InvalidRef) return refusedName(branch, 'Branch name is invalid');
  if (error instanceof RefNameClash) {
    return refusedName(branch, 'A branch stands where the name has a folder, or the other way round');
  }
  return error;
}
