import type { ProjectAccess } from '../../core/access/access.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { branchRights } from '../../core/repository/push-rules.ts';
import { countCommits } from '../../git/ancestry.ts';
import { hasNoteBy } from '../notes/store.ts';
import { subscriptionOf } from '../subscriptions/store.ts';
import type { MergeRequestRow } from '../tables.ts';
import type { Sides } from './branches.ts';
import type { MergeRequestJson } from './entities.ts';
import { type Assessment, assess } from './merging/assess.ts';
import { detailedMergeStatus } from './merging/mergeability.ts';
import type { FindHeadPipeline } from './ports.ts';
import { presentMergeRequests } from './present.ts';
import { isAssigneeOrReviewer } from './related-store.ts';
import { hasMergedBy } from './store.ts';

export interface DetailCall {
  caller: Caller;
  /** To the target project. */
  access: ProjectAccess;
  sides: Sides;
  findHeadPipeline: FindHeadPipeline;
  signal?: AbortSignal | undefined;
  includeDiverged?: boolean | null | undefined;
  includeRebase?: boolean | null | undefined;
}

/** One merge request with everything that takes a closer look: at the branches, the rights and the pipeline. */
export async function presentDetail(
  core: Core,
  row: MergeRequestRow,
  call: DetailCall,
): Promise<MergeRequestJson> {
  const found = await assess(core, row, call.sides, call);
  const [basic] = await presentMergeRequests(core.db, [found.row], {
    baseUrl: core.baseUrl(),
    today: core.access.today(),
    inProject: true,
  });
  return {
    ...basic!,
    detailed_merge_status: detailedMergeStatus(found.row, found.facts),
    subscribed: await hearsOfMergeRequest(core, row, call.caller.user.id),
    changes_count: changesCount(row),
    ...pipelineFields(found, call.access),
    first_deployed_to_production_at: null,
    diff_refs: diffRefs(row),
    merge_error: row.merge_error,
    first_contribution:
      row.author_id !== null && !(await hasMergedBy(core.db, row.project_id, row.author_id)),
    user: { can_merge: await mayMerge(core, call) },
    ...(call.includeRebase && { rebase_in_progress: row.rebase_in_progress === 1 }),
    ...(call.includeDiverged && { diverged_commits_count: await diverged(core, found, call) }),
  };
}

function pipelineFields({ headPipeline }: Assessment, access: ProjectAccess) {
  const pipeline = access.can('read_pipeline') ? headPipeline : null;
  return {
    latest_build_started_at: pipeline?.startedAt ?? null,
    latest_build_finished_at: pipeline?.finishedAt ?? null,
    pipeline: pipeline?.basic ?? null,
    head_pipeline: pipeline?.detail ?? null,
  };
}

function changesCount(row: MergeRequestRow): string | null {
  if (row.changes_count === 0) return null;
  return row.changes_overflow === 1 ? `${row.changes_count}+` : String(row.changes_count);
}

export function diffRefs(row: MergeRequestRow) {
  const { base_sha, sha, start_sha } = row;
  return base_sha !== null && sha !== null && start_sha !== null
    ? { base_sha, head_sha: sha, start_sha }
    : null;
}

/** Who takes part hears of it (author, assignee, reviewer, or who has written a note), unless he has said otherwise. */
export async function hearsOfMergeRequest(
  { db }: Pick<Core, 'db'>,
  row: MergeRequestRow,
  userId: number,
): Promise<boolean> {
  const said = await subscriptionOf(db, userId, { type: 'MergeRequest', id: row.id });
  if (said !== null) return said;
  if (row.author_id === userId || (await isAssigneeOrReviewer(db, row.id, userId))) return true;
  return hasNoteBy(db, 'MergeRequest', row.id, userId);
}

async function mayMerge(core: Core, { access, sides }: DetailCall): Promise<boolean> {
  const { project, branch } = sides.target;
  const rights = await branchRights({ core, project, access }, branch);
  return rights.mayMerge || rights.mayPush;
}

/** Commits that the target branch has and the source has not. */
async function diverged(core: Core, found: Assessment, { sides, signal }: DetailCall): Promise<number> {
  const { row, targetTip } = found;
  if (row.sha === null || targetTip === null) return 0;
  return countCommits(core.repositoryOf(sides.target.project), `${row.sha}..${targetTip}`, { signal });
}
