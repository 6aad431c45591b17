import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { UniqueViolation } from '../../../platform/db/errors.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import { nextIid } from '../../counters-store.ts';
import { notFoundWhenGone } from '../../gone.ts';
import { relabel } from '../../labels/named.ts';
import { chosenMilestone } from '../../milestones/chosen.ts';
import { recordHistory } from '../../resource-events/record.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { mergeStatusOf, statusKey } from '../merging/mergeability.ts';
import { replacePeople } from '../related-store.ts';
import { type BranchPair, insertMergeRequest } from '../store.ts';
import { isDraftTitle } from '../texts.ts';
import { replaceCommits } from '../versions/commits-store.ts';
import { insertVersion } from '../versions/store.ts';
import type { Version } from '../versions/version.ts';
import { refuseSecond } from './checks.ts';
import type { NewMergeRequest } from './create.ts';
import { peopleFor } from './people.ts';
import '../../events.ts';

/** A merge request that may be opened. */
export interface Draft {
  input: NewMergeRequest;
  target: ProjectWithNamespace;
  pair: BranchPair;
  version: Version;
}

/** What is looked up before the transaction. */
interface Found {
  authorId: number;
  assignees: number[];
  reviewers: number[];
  milestoneId: number | null;
  createLabels: boolean;
  mergeStatus: MergeRequestRow['merge_status'];
}

/** Throws 409 when somebody else opened one for the same branches meanwhile. */
export async function insertDraft(core: Core, caller: Caller, draft: Draft): Promise<MergeRequestRow> {
  const found = await lookUp(core, caller, draft);
  try {
    return await notFoundWhenGone(core.database.transaction((tx) => insertAll(core, tx, draft, found)));
  } catch (error) {
    // Two who opened the same at once: the unique index let one through.
    if (error instanceof UniqueViolation) await refuseSecond(core, draft.pair);
    throw error;
  }
}

async function lookUp(core: Core, caller: Caller, { input, target, version }: Draft): Promise<Found> {
  const { assignee_id: one, assignee_ids: many } = input;
  const access = await core.access.project(caller, target);
  const tips = { source: version.sha, target: version.start_sha };
  return {
    authorId: caller.user.id,
    assignees: (await peopleFor(core, target, { one, many })) ?? [],
    reviewers: (await peopleFor(core, target, { many: input.reviewer_ids })) ?? [],
    milestoneId: (await chosenMilestone(core.db, target, input.milestone_id)) ?? null,
    createLabels: access.can('admin_label'),
    mergeStatus: await mergeStatusOf(core.repositoryOf(target), tips),
  };
}

async function insertAll(core: Core, tx: Tx, draft: Draft, found: Found): Promise<MergeRequestRow> {
  const { input, target, version } = draft;
  const { authorId: userId, createLabels } = found;
  const row = await insertRow(core, tx, draft, found);
  const now = row.created_at;
  await replaceCommits(tx, row.id, version.commits);
  await insertVersion(tx, row, now);
  await replacePeople(tx, 'assignees', row.id, { userIds: found.assignees, now });
  await replacePeople(tx, 'reviewers', row.id, { userIds: found.reviewers, now });
  const on = { kind: 'merge_request', id: row.id, project: target } as const;
  const labels = await relabel(tx, on, input, { create: createLabels, now });
  const milestone = { before: null, after: row.milestone_id };
  const deed = { type: 'MergeRequest', id: row.id, projectId: target.id, userId, now } as const;
  await recordHistory(tx, deed, { labels, milestone });
  await core.events.publish(tx, {
    type: 'merge_request.opened',
    stream: projectStream(target.id),
    payload: { projectId: target.id, mergeRequestId: row.id, iid: row.iid, userId },
  });
  return row;
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
    milestone_id: milestoneId,
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
