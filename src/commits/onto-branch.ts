import type { Caller } from '../core/caller.ts';
import type { Core } from '../core/core.ts';
import type { InProject } from '../core/guards.ts';
import type { User } from '../core/tables.ts';
import type { PickResult } from '../git/merge.ts';
import { type Commit, type Identity, readCommit } from '../git/objects.ts';
import { isValidBranchName } from '../git/ref-name.ts';
import { RefConflict } from '../git/ref-update.ts';
import { resolveRef } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { writeCommit } from '../git/write.ts';
import { fail } from '../platform/errors.ts';
import { optional, param } from '../platform/http/params.ts';
import { commitPath, findCommit } from './find.ts';
import { mergedBy } from './merge-requests.ts';
import { demandPush } from './push-right.ts';

/** What cherry-pick and revert have in common: the change of a commit, or its inverse, put on top of a branch. */

export const ontoBranchParams = {
  ...commitPath,
  branch: param.string({ blank: false, description: 'The branch that gets the new commit.' }),
  dry_run: optional(param.boolean({ description: 'Only tell whether it would work.' })),
};

/** The commit whose change is applied, and what the project knows of it. */
export interface Source {
  repo: Repository;
  commit: Commit;
  /** The merge request that it merged; null for an ordinary commit. */
  mergeRequest: { iid: number } | null;
}

export interface Change {
  /** The word in GitLab's refusals. */
  verb: 'cherry-pick' | 'revert';
  /** The tree that results on top of `tip`. */
  apply: (source: Source, tip: string, signal: AbortSignal) => Promise<PickResult>;
  message: (source: Source) => Promise<string>;
  author: (source: Source, committer: Identity) => Identity;
}

export interface OntoBranchCall {
  caller: Caller;
  guarded: InProject;
  params: { sha: string; branch: string; dry_run?: boolean | null | undefined };
  signal: AbortSignal;
}

// An attempt takes some 20 ms and loses only to another process; one that loses this often is under heavy fire.
const ATTEMPTS = 10;

/** The new tip of the branch; null after a dry run. Throws GitLab's refusals in GitLab's order. */
export async function putOntoBranch(
  core: Core,
  call: OntoBranchCall,
  change: Change,
): Promise<Commit | null> {
  const { guarded, params } = call;
  await demandPush(core, guarded, params.branch);
  const source = await findSource(core, call);
  if (!isValidBranchName(params.branch)) throw fail.refused('The branch refname is invalid');
  const ref = `refs/heads/${params.branch}`;
  return core.refUpdates.inTurn(guarded.project, ref, async () => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const tip = await resolveRef(source.repo, ref);
      if (tip === null) throw fail.notFound('Branch');
      const tree = await treeOnto(change, source, call, tip);
      if (params.dry_run) return null;
      const made = await writeOnto(core, call.caller.user, change, { source, tip, tree });
      if (await advance(core, call, { ref, old: tip, new: made })) return committed(source.repo, made);
    }
    throw fail.refused('branch diverged');
  });
}

async function findSource(core: Core, call: OntoBranchCall): Promise<Source> {
  const { project, access } = call.guarded;
  const { repo, oid } = await findCommit(core, project, call);
  const commit = await committed(repo, oid);
  const visible = access.can('read_merge_request');
  return { repo, commit, mergeRequest: visible ? await mergedBy(core, project, oid) : null };
}

async function committed(repo: Repository, oid: string): Promise<Commit> {
  const commit = await readCommit(repo, oid);
  if (commit === null) throw fail.notFound('Commit');
  return commit;
}

const REASON =
  "Can't perform this action automatically. It may have already been done, or a more recent commit may have " +
  'updated some of this content. Please perform this action locally.';

async function treeOnto(
  change: Change,
  source: Source,
  { params, signal }: OntoBranchCall,
  tip: string,
): Promise<string> {
  const result = await change.apply(source, tip, signal);
  if ('tree' in result) return result.tree;
  const thing = source.mergeRequest ? 'Merge request' : 'Commit';
  throw fail.refused(`${thing} ${change.verb} failed: ${REASON}`, {
    body: {
      error_code: 'empty' in result ? 'empty' : 'conflict',
      ...(params.dry_run && { dry_run: 'error' }),
    },
  });
}

interface Made {
  source: Source;
  tip: string;
  tree: string;
}

async function writeOnto(core: Core, user: User, change: Change, { source, tip, tree }: Made) {
  const committer = { name: user.name, email: user.email, date: core.clock.now(), offset: '+00:00' };
  return writeCommit(source.repo, {
    tree,
    parents: [tip],
    author: change.author(source, committer),
    committer,
    message: await change.message(source),
  });
}

/** False when somebody else has moved the branch meanwhile: then the change must be made on top of his. */
async function advance(
  core: Core,
  { caller, guarded }: OntoBranchCall,
  update: { ref: string; old: string; new: string },
): Promise<boolean> {
  try {
    await core.refUpdates.update(guarded.project, [update], { userId: caller.user.id, via: 'api' });
    return true;
  } catch (error) {
    if (error instanceof RefConflict) return false;
    throw error;
  }
}
