import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import { nextIid } from '../counters-store.ts';
import { relabel } from '../labels/named.ts';
import { chosenMilestone } from '../milestones/chosen.ts';
import { recordHistory } from '../resource-events/record.ts';
import type { MergeRequestRow } from '../tables.ts';
import { isOneForkNetwork } from './fork-network.ts';
import { mergeStatusOf, statusKey } from './merging/mergeability.ts';
import { peopleFor } from './people.ts';
import { replacePeople } from './related-store.ts';
import { type BranchPair, findOpenPair, insertMergeRequest } from './store.ts';
import { isDraftTitle } from './texts.ts';
import { replaceCommits } from './versions/commits-store.ts';
import { keepHead } from './versions/refs.ts';
import { insertVersion } from './versions/store.ts';
import { type Branches, readVersion, tipsOf, type Version } from './versions/version.ts';
import '../events.ts';

export interface NewMergeRequest {
  source_branch: string;
  target_branch: string;
  title: string;
  target_project_id?: number | null | undefined;
  description?: string | null | undefined;
  assignee_id?: number | null | undefined;
  assignee_ids?: number[] | null | undefined;
  reviewer_ids?: number[] | null | undefined;
  labels?: string[] | null | undefined;
  milestone_id?: number | null | undefined;
  remove_source_branch?: boolean | null | undefined;
  squash?: boolean | null | undefined;
  allow_collaboration?: boolean | null | undefined;
}

export const MAX_TITLE = 255;
export const MAX_DESCRIPTION = 1_048_576;

/**
 * Opens a merge request from a branch of the project asked. Throws 403 and 404 for rights, 422 for branches that cannot be
 * merged into each other, 400 for what is missing, 409 when there is an open one for the two branches.
 */
export async function createMergeRequest(
  core: Core,
  caller: Caller,
  { project: source, access }: InProject,
  input: NewMergeRequest,
): Promise<MergeRequestRow> {
  access.demand('create_merge_request');
  const target = await targetProject(core, caller, source, input.target_project_id ?? null);
  const branches: Branches = {
    source: { project: source, branch: input.source_branch },
    target: { project: target, branch: input.target_branch },
  };
  refuseSame(branches);
  const version = await versionFor(core, branches, textProblems(input));
  const pair = pairOf(branches);
  await refuseSecond(core, pair);
  const row = await store(core, caller, { input, target, pair, version });
  await keepHead(core, target, row);
  return row;
}

async function targetProject(
  core: Core,
  caller: Caller,
  source: ProjectWithNamespace,
  id: number | null,
): Promise<ProjectWithNamespace> {
  if (id === null || id === source.id) return source;
  const target = await findProjectById(core.db, id);
  if (!target) throw fail.notFound('Project');
  const access = await core.access.project(caller, target);
  access.demand('read_code');
  access.demand('read_merge_request');
  if (!(await isOneForkNetwork(core.db, source, target))) {
    throw fail.unprocessable(['Source project is not a fork of the target project']);
  }
  if (target.archived === 1) throw fail.forbidden();
  return target;
}

function refuseSame({ source, target }: Branches): void {
  if (source.project.id !== target.project.id || source.branch !== target.branch) return;
  throw fail.unprocessable(["You can't use same project/branch for source and target"]);
}

export function textProblems(input: {
  title?: string | null | undefined;
  description?: string | null | undefined;
}): FieldErrors {
  const errors: FieldErrors = {};
  if (input.title?.trim() === '') errors['title'] = ["can't be blank"];
  else if ((input.title?.length ?? 0) > MAX_TITLE)
    errors['title'] = [`is too long (maximum is ${MAX_TITLE} characters)`];
  if ((input.description?.length ?? 0) > MAX_DESCRIPTION)
    errors['description'] = [`is too long (maximum is ${MAX_DESCRIPTION} characters)`];
  return errors;
}

/** Both branches must be there; what else is wrong with the record is said in the same breath. */
export async function versionFor(core: Core, branches: Branches, problems: FieldErrors): Promise<Version> {
  const { sourceTip, targetTip } = await tipsOf(core, branches);
  const missing = ['does not exist'];
  const errors: FieldErrors = {
    ...problems,
    ...(sourceTip === null && { source_branch: missing }),
    ...(targetTip === null && { target_branch: missing }),
  };
  if (sourceTip === null || targetTip === null || Object.keys(errors).length > 0) throw fail.invalid(errors);
  return readVersion(core, branches, { sourceTip, targetTip });
}

export const pairOf = ({ source, target }: Branches): BranchPair => ({
  projectId: target.project.id,
  sourceProjectId: source.project.id,
  sourceBranch: source.branch,
  targetBranch: target.branch,
});

export async function refuseSecond(core: Core, pair: BranchPair): Promise<void> {
  const other = await findOpenPair(core.db, pair);
  if (!other) return;
  throw fail.conflict([`Another open merge request already exists for this source branch: !${other.iid}`]);
}

interface Draft {
  input: NewMergeRequest;
  target: ProjectWithNamespace;
  pair: BranchPair;
  version: Version;
}

async function store(core: Core, caller: Caller, draft: Draft): Promise<MergeRequestRow> {
  const { input, target, pair, version } = draft;
  const assignees = await peopleFor(core, target, { one: input.assignee_id, many: input.assignee_ids });
  const reviewers = await peopleFor(core, target, { many: input.reviewer_ids });
  const access = await core.access.project(caller, target);
  const milestoneId = await chosenMilestone(core.db, target, input.milestone_id);
  const mergeStatus = await mergeStatusOf(core.repositoryOf(target), {
    source: version.sha,
    target: version.start_sha,
  });
  try {
    return await core.database.transaction(async (tx) => {
      const row = await insertRow(core, tx, draft, { authorId: caller.user.id, milestoneId, mergeStatus });
      await replaceCommits(tx, row.id, version.commits);
      await insertVersion(tx, row, row.created_at);
      const now = row.created_at;
      await replacePeople(tx, 'assignees', row.id, { userIds: assignees ?? [], now });
      await replacePeople(tx, 'reviewers', row.id, { userIds: reviewers ?? [], now });
      const on = { kind: 'merge_request', id: row.id, project: target } as const;
      const labels = await relabel(tx, on, input, { create: access.can('admin_label'), now });
      const deed = {
        type: 'MergeRequest',
        id: row.id,
        projectId: target.id,
        userId: caller.user.id,
        now,
      } as const;
      await recordHistory(tx, deed, { labels, milestone: { before: null, after: row.milestone_id } });
      await core.events.publish(tx, {
        type: 'merge_request.opened',
        stream: `project:${target.id}`,
        payload: { projectId: target.id, mergeRequestId: row.id, iid: row.iid, userId: caller.user.id },
      });
      return row;
    });
  } catch (error) {
    // Two who opened the same at once: the unique index let one through.
    if (error instanceof UniqueViolation) await refuseSecond(core, pair);
    throw error;
  }
}

/** What is looked up before the transaction. */
interface Found {
  authorId: number;
  milestoneId: number | null | undefined;
  mergeStatus: MergeRequestRow['merge_status'];
}

async function insertRow(
  core: Core,
  tx: Tx,
  { input, target, pair, version: { commits: _, ...version } }: Draft,
  { authorId, milestoneId, mergeStatus }: Found,
): Promise<MergeRequestRow> {
  const now = core.clock.now();
  return insertMergeRequest(tx, {
    iid: await nextIid(tx, target.id, 'merge_request'),
    project_id: target.id,
    source_project_id: pair.sourceProjectId,
    source_branch: pair.sourceBranch,
    target_branch: pair.targetBranch,
    title: input.title,
    description: input.description ?? null,
    draft: isDraftTitle(input.title) ? 1 : 0,
    author_id: authorId,
    milestone_id: milestoneId ?? null,
    ...version,
    merge_status: mergeStatus,
    merge_status_of: statusKey(version.sha, version.start_sha),
    squash: input.squash ? 1 : 0,
    force_remove_source_branch: input.remove_source_branch ? 1 : 0,
    allow_collaboration: input.allow_collaboration ? 1 : 0,
    created_at: now,
    updated_at: now,
  });
}
