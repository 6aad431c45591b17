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

// An attempt takes some 20 ms; a branch that has moved every time is under heavy fire.
const ATTEMPTS = 10;

/** The new tip of the branch; null after a dry run. Throws GitLab's refusals in GitLab's order. */
export async function putOntoBranch(
  core: Core,
  call: OntoBranchCall,
  change: Change,
): Promise<Commit | null> {
  const { caller, guarded, params, signal } = call;
  await demandPush(core, guarded, params.branch);
  const source = await findSource(core, call);
  if (!isValidBranchName(params.branch)) throw fail.refused('The branch refname is invalid');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const tip = await resolveRef(source.repo, `refs/heads/${params.branch}`);
    if (tip === null) throw fail.notFound('Branch');
    const result = await change.apply(source, tip, signal);
    if (!('tree' in result)) throw refusal(change, source, { result, dryRun: params.dry_run === true });
    if (params.dry_run) return null;
    const made = await writeOnto(core, caller.user, change, { source, tip, tree: result.tree });
    if (await advance(core, call, { tip, made })) return readCommit(source.repo, made, signal);
  }
  throw fail.refused('branch diverged');
}

async function findSource(core: Core, call: OntoBranchCall): Promise<Source> {
  const { project, access } = call.guarded;
  const { repo, oid } = await findCommit(core, project, call);
  const commit = await readCommit(repo, oid, call.signal);
  if (commit === null) throw fail.notFound('Commit');
  const visible = access.can('read_merge_request');
  return { repo, commit, mergeRequest: visible ? await mergedBy(core, project, oid) : null };
}

const REASON =
  "Can't perform this action automatically. It may have already been done, or a more recent commit may have " +
  'updated some of this content. Please perform this action locally.';

interface Refused {
  result: PickResult;
  dryRun: boolean;
}

function refusal({ verb }: Change, { mergeRequest }: Source, { result, dryRun }: Refused) {
  const thing = mergeRequest ? 'Merge request' : 'Commit';
  const error_code = 'empty' in result ? 'empty' : 'conflict';
  return fail.refused(`${thing} ${verb} failed: ${REASON}`, {
    body: { error_code, ...(dryRun && { dry_run: 'error' }) },
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
  { caller, guarded, params }: OntoBranchCall,
  { tip, made }: { tip: string; made: string },
): Promise<boolean> {
  const update = { ref: `refs/heads/${params.branch}`, old: tip, new: made };
  try {
    await core.refUpdates.update(guarded.project, [update], { userId: caller.user.id, via: 'api' });
    return true;
  } catch (error) {
    if (error instanceof RefConflict) return false;
    throw error;
  }
}
