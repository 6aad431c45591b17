import type { ProjectAccess } from '../../../core/access/access.ts';
import type { Actor } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { projectSettings } from '../../../core/projects/settings.ts';
import { branchRights } from '../../../core/repository/push-rules.ts';
import type { User } from '../../../core/tables.ts';
import { RefConflict } from '../../../git/ref-update.ts';
import { ApiError, fail } from '../../../platform/errors.ts';
import type { MergeRequestRow } from '../../tables.ts';
import type { Sides } from '../branches.ts';
import type { FindHeadPipeline } from '../ports.ts';
import { findMergeRequestById, updateIfState } from '../store.ts';
import { advanceNow } from '../versions/advance.ts';
import { type Assessment, assess } from './assess.ts';
import { enableAutoMerge, isInProgress } from './auto-merge.ts';
import { markMerged } from './finish.ts';
import { type MergeCommits, type MergePlan, writeMerge } from './merge-commit.ts';
import { mergeMessage, squashMessage } from './merge-message.ts';
import { detailedMergeStatus, squashes } from './mergeability.ts';
import { messageFacts } from './message-facts.ts';
import { removeSourceBranch } from './remove-source.ts';
import { inTurn } from './turn.ts';

export interface MergeOptions {
  /** The commit that the caller has looked at; 409 when it is not the one offered any more. */
  sha?: string | null | undefined;
  squash?: boolean | null | undefined;
  merge_commit_message?: string | null | undefined;
  squash_commit_message?: string | null | undefined;
  should_remove_source_branch?: boolean | null | undefined;
  /** Merge later, when the pipeline has succeeded. */
  auto_merge?: boolean | null | undefined;
  merge_when_pipeline_succeeds?: boolean | null | undefined;
}

export interface MergeCall {
  caller: Actor;
  /** To the target project. */
  access: ProjectAccess;
  sides: Sides;
  options: MergeOptions;
  findHeadPipeline: FindHeadPipeline;
  signal?: AbortSignal | undefined;
}

// Each attempt takes some 30 ms: a branch that has moved every time is under heavy fire.
const ATTEMPTS = 5;

/**
 * Merges, and answers with the merged row; or with one that is still open, when the caller wants it merged after its pipeline
 * and that still runs. Throws 401 without the right to merge into the branch, 405 while something else
 * is in the way, 422 for what git cannot merge, 409 where the source is at another commit. Merges into one branch wait for
 * each other; a push to it in between makes this one begin again.
 */
export async function mergeMergeRequest(core: Core, id: number, call: MergeCall): Promise<MergeRequestRow> {
  const { project, branch } = call.sides.target;
  const rights = await branchRights({ core, project, access: call.access }, branch);
  if (!rights.mayMerge && !rights.mayPush) throw fail.unauthorized();
  const row = await inTurn(core, call.sides.target, async () => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const merged = await tryToMerge(core, id, call);
      if (merged) return merged;
    }
    throw cannotBeMerged();
  });
  await removeSourceBranch(core, row, call);
  return row;
}

/** Null when the target branch moved meanwhile. */
async function tryToMerge(core: Core, id: number, call: MergeCall): Promise<MergeRequestRow | null> {
  const assessment = await present(core, id, call);
  if (mustWait(assessment, call.options)) return enableAutoMerge(core, assessment.row, call);
  const { row, targetTip } = assessment;
  const commits = await writeMerge(
    core.repositoryOf(call.sides.target.project),
    await planFor(core, call, row, { source: row.sha!, target: targetTip! }),
    call.signal,
  );
  if (!commits) throw cannotBeMerged();
  await noteProgress(core, row, commits, call.options);
  const { project, branch } = call.sides.target;
  try {
    const update = { ref: `refs/heads/${branch}`, old: targetTip, new: commits.tip };
    await core.refUpdates.update(project, [update], { userId: call.caller.user.id, via: 'api' });
  } catch (error) {
    if (error instanceof RefConflict) return null;
    throw error;
  }
  const ending = { userId: call.caller.user.id, mergeCommitSha: commits.mergeCommit };
  // The event of the branch may have been handled first: then it is marked already.
  return (await markMerged(core, row, ending)) ?? (await findMergeRequestById(core.db, id)) ?? row;
}

/** As it is now, with what was pushed a moment ago. */
async function present(core: Core, id: number, call: MergeCall): Promise<Assessment> {
  const { sides, caller } = call;
  const row = await findMergeRequestById(core.db, id);
  if (!row) throw fail.recordNotFound();
  const fresh = sides.source
    ? await advanceNow(core, row, { source: sides.source, target: sides.target }, caller.user.id)
    : row;
  return assess(core, fresh, sides, call);
}

/** Throws what keeps it from being merged; true when it is to be merged later, as the caller wants it. */
function mustWait({ row, facts, headPipeline }: Assessment, options: MergeOptions): boolean {
  const status = detailedMergeStatus(row, facts);
  const later = Boolean(options.auto_merge || options.merge_when_pipeline_succeeds);
  const waits = later && isInProgress(headPipeline);
  if (status === 'conflict' || status === 'need_rebase') throw cannotBeMerged();
  if (status !== 'mergeable' && !(waits && status === 'ci_still_running')) throw notAllowed();
  if (options.sha && options.sha !== row.sha) {
    throw fail.conflict(`SHA does not match HEAD of source branch: ${row.sha}`);
  }
  return waits;
}

const cannotBeMerged = () => fail.unprocessable('Branch cannot be merged');
const notAllowed = () => new ApiError('method_not_allowed', { text: '405 Method Not Allowed' });

async function planFor(
  core: Core,
  { caller, sides, options }: MergeCall,
  row: MergeRequestRow,
  tips: { source: string; target: string },
): Promise<MergePlan> {
  const settings = projectSettings(sides.target.project);
  const facts = await messageFacts(core, row, { caller, sides });
  const now = core.clock.now();
  return {
    ...tips,
    method: settings.merge_method,
    squash: squashes(settings.squash_option, options.squash ?? row.squash === 1),
    author: identity(facts.author ?? caller.user, now),
    committer: identity(caller.user, now),
    mergeMessage: (commits) =>
      options.merge_commit_message || mergeMessage(settings.merge_commit_template, { ...facts, commits }),
    squashMessage: (commits) => ({
      text:
        options.squash_commit_message ||
        squashMessage(settings.squash_commit_template, { ...facts, commits }),
      custom: Boolean(options.squash_commit_message),
    }),
  };
}

const identity = ({ name, email }: User, date: number) => ({ name, email, date, offset: '+00:00' });

/** Before the branch moves: whoever finishes after a crash knows by this what was merged and how. */
async function noteProgress(core: Core, row: MergeRequestRow, commits: MergeCommits, options: MergeOptions) {
  const remove = options.should_remove_source_branch;
  await core.database.transaction((tx) =>
    updateIfState(tx, row, {
      in_progress_merge_commit_sha: commits.tip,
      squash_commit_sha: commits.squashCommit,
      ...(remove != null && { should_remove_source_branch: remove ? 1 : 0 }),
    }),
  );
}
