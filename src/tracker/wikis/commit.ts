import type { Actor } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { ensureWiki, wikiOf } from '../../core/projects/wiki.ts';
import { BRANCHES } from '../../core/repository/default-branch.ts';
import { landCommit } from '../../core/repository/land-commit.ts';
import { unlessRemoved } from '../../core/repository/reading.ts';
import type { Project } from '../../core/tables.ts';
import { readCommit } from '../../git/objects.ts';
import { isValidBranchName } from '../../git/ref-name.ts';
import { InvalidRef, RefConflict, RefNameClash } from '../../git/ref-update.ts';
import { resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { editTree, type TreeAction, TreeEditError } from '../../git/tree-edit.ts';
import { writeCommit } from '../../git/write.ts';
import { fail } from '../../platform/errors.ts';

/** Who writes to which wiki. */
export interface WikiWriter {
  caller: Actor;
  project: Pick<Project, 'id' | 'storage_path'>;
  signal: AbortSignal;
}

export interface WikiChange {
  message: string;
  actions: TreeAction[];
}

export interface WikiCommit {
  repository: Repository;
  branch: string;
  id: string;
}

/**
 * Makes one commit in a wiki, which begins to be with it. `plan` sees the commit that is built upon (null: none yet) and is
 * asked again when another writer was faster. Without a branch it is the default one; a new branch begins at that.
 */
export async function commitToWiki(
  core: Core,
  { caller, project, signal }: WikiWriter,
  plan: (repository: Repository, parent: string | null) => Promise<WikiChange>,
  wantedBranch?: string | null,
): Promise<WikiCommit> {
  const repository = await ensureWiki(core, project);
  const home = await unlessRemoved(repository.head());
  const branch = wantedBranch || home;
  if (!isValidBranchName(branch)) throw fail.refused('Branch name is invalid');
  const build = async () => {
    const tip = await resolveRef(repository, BRANCHES + branch);
    const parent = tip ?? (await resolveRef(repository, BRANCHES + home));
    const { message, actions } = await plan(repository, parent);
    const tree = await treeWith(repository, { parent, actions, signal });
    const { name, email } = caller.user;
    const author = { name, email, date: core.clock.now(), offset: '+00:00' };
    const parents = parent === null ? [] : [parent];
    return {
      tip,
      commit: await writeCommit(repository, { tree, parents, author, committer: author, message }),
    };
  };
  const origin = { userId: caller.user.id, via: 'api' } as const;
  try {
    const id = await landCommit(core, { repository: wikiOf(project), branch, origin }, build);
    return { repository, branch, id };
  } catch (error) {
    throw explain(error);
  }
}

async function treeWith(
  repository: Repository,
  { parent, actions, signal }: { parent: string | null; actions: TreeAction[]; signal: AbortSignal },
): Promise<string> {
  const base = parent === null ? null : ((await readCommit(repository, parent, signal))?.tree ?? null);
  return editTree(repository, base, actions, signal).catch((error: unknown) => {
    throw error instanceof TreeEditError ? fail.refused(error.message) : error;
  });
}

function explain(error: unknown): unknown {
  if (error instanceof RefConflict) return fail.conflict('409 Conflict: Resource lock');
  if (error instanceof InvalidRef) return fail.refused('Branch name is invalid');
  if (error instanceof RefNameClash) {
    return fail.refused('A branch stands where the name has a folder, or the other way round');
  }
  return error;
}
