import type { Core } from '../../../core/core.ts';
import { projectSettings } from '../../../core/projects/settings.ts';
import { isAncestor } from '../../../git/ancestry.ts';
import { unresolvedThreads } from '../../notes/store.ts';
import type { MergeRequestRow } from '../../tables.ts';
import type { Sides } from '../branches.ts';
import type { FindHeadPipeline, HeadPipeline } from '../ports.ts';
import { updateIfState } from '../store.ts';
import { tipOf } from '../versions/version.ts';
import { type MergeFacts, mergeStatusOf, statusKey } from './mergeability.ts';

/** A merge request looked at closely: what reading one shows, and what merging it goes by. */
export interface Assessment {
  /** With a merge status that is about the present tips. */
  row: MergeRequestRow;
  sourceTip: string | null;
  targetTip: string | null;
  facts: MergeFacts;
  headPipeline: HeadPipeline | null;
}

export async function assess(
  core: Core,
  row: MergeRequestRow,
  sides: Sides,
  { findHeadPipeline, signal }: { findHeadPipeline: FindHeadPipeline; signal?: AbortSignal | undefined },
): Promise<Assessment> {
  const [sourceTip, targetTip] = await Promise.all([
    sides.source && tipOf(core, sides.source),
    tipOf(core, sides.target),
  ]);
  const headPipeline = await pipelineOf(core, row, findHeadPipeline);
  const checked = await withMergeStatus(core, row, sides, targetTip, signal);
  const settings = projectSettings(sides.target.project);
  const open = settings.only_allow_merge_if_all_discussions_are_resolved
    ? await unresolvedThreads(core.db, [row.id])
    : new Set();
  const facts: MergeFacts = {
    complete: sourceTip !== null && targetTip !== null && row.sha !== null && row.sha !== row.base_sha,
    discussionsOpen: open.has(row.id),
    pipeline: settings.only_allow_merge_if_pipeline_succeeds
      ? hindrance(headPipeline, settings.allow_merge_on_skipped_pipeline)
      : null,
    needsRebase:
      settings.merge_method !== 'merge' && (await isBehind(core, checked, sides, { targetTip, signal })),
  };
  return { row: checked, sourceTip, targetTip, facts, headPipeline };
}

function pipelineOf(core: Core, row: MergeRequestRow, find: FindHeadPipeline): Promise<HeadPipeline | null> {
  const { id: mergeRequestId, source_project_id: projectId, source_branch: ref, sha } = row;
  if (projectId === null || sha === null) return Promise.resolve(null);
  return find({ mergeRequestId, projectId, ref, sha }, core.baseUrl());
}

/** The answer is kept with the two commits that it is about. */
async function withMergeStatus(
  core: Core,
  row: MergeRequestRow,
  { target }: Sides,
  targetTip: string | null,
  signal: AbortSignal | undefined,
): Promise<MergeRequestRow> {
  if (row.state !== 'opened' || row.sha === null || targetTip === null) return row;
  const key = statusKey(row.sha, targetTip);
  if (row.merge_status_of === key) return row;
  const repo = core.repositoryOf(target.project);
  const merge_status = await mergeStatusOf(repo, { source: row.sha, target: targetTip }, signal);
  const changes = { merge_status, merge_status_of: key };
  const kept = await core.database.transaction((tx) => updateIfState(tx, row, changes));
  return kept ?? { ...row, ...changes };
}

function hindrance(pipeline: HeadPipeline | null, skippedWillDo: boolean): MergeFacts['pipeline'] {
  switch (pipeline?.status) {
    case 'success':
      return null;
    case 'skipped':
      return skippedWillDo ? null : 'ci_must_pass';
    case 'failed':
    case 'canceled':
    case undefined:
      return 'ci_must_pass';
    default:
      return 'ci_still_running';
  }
}

async function isBehind(
  core: Core,
  row: MergeRequestRow,
  { target }: Sides,
  { targetTip, signal }: { targetTip: string | null; signal: AbortSignal | undefined },
): Promise<boolean> {
  if (row.state !== 'opened' || row.sha === null || targetTip === null) return false;
  return !(await isAncestor(core.repositoryOf(target.project), targetTip, row.sha, signal));
}
