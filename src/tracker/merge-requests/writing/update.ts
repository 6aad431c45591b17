import type { ProjectAccess } from '../../../core/access/access.ts';
import type { Core } from '../../../core/core.ts';
import { UniqueViolation } from '../../../platform/db/errors.ts';
import { fail } from '../../../platform/errors.ts';
import { notFoundWhenGone } from '../../gone.ts';
import { chosenMilestone } from '../../milestones/chosen.ts';
import type { MergeRequestRow } from '../../tables.ts';
import type { Sides } from '../branches.ts';
import { inTurn } from '../merging/turn.ts';
import { isDraftTitle } from '../texts.ts';
import type { Version } from '../versions/version.ts';
import { applyChange, type Changes, type Plan } from './apply.ts';
import { pairOf, refuseSecond, textProblems, versionFor } from './checks.ts';
import { peopleFor } from './people.ts';

export interface MergeRequestChange {
  title?: string | null | undefined;
  description?: string | null | undefined;
  target_branch?: string | null | undefined;
  state_event?: 'close' | 'reopen' | null | undefined;
  assignee_id?: number | null | undefined;
  assignee_ids?: number[] | null | undefined;
  reviewer_ids?: number[] | null | undefined;
  labels?: string[] | null | undefined;
  milestone_id?: number | null | undefined;
  add_labels?: string[] | null | undefined;
  remove_labels?: string[] | null | undefined;
  remove_source_branch?: boolean | null | undefined;
  squash?: boolean | null | undefined;
  allow_collaboration?: boolean | null | undefined;
  discussion_locked?: boolean | null | undefined;
}

export interface UpdateCall {
  sides: Sides;
  /** Of the caller to the target project. */
  access: ProjectAccess;
  input: MergeRequestChange;
  userId: number;
}

/**
 * Changes a merge request. Throws 400 for texts and branches that will not do, 409 where the change would make a second open
 * one for the same branches. A state event that does not fit the state changes nothing, as in GitLab.
 */
export async function updateMergeRequest(
  core: Core,
  row: MergeRequestRow,
  call: UpdateCall,
): Promise<MergeRequestRow> {
  const { sides } = call;
  const plan = await planFor(core, row, call);
  try {
    const apply = () => core.database.transaction((tx) => applyChange(core, tx, row.id, plan));
    return await notFoundWhenGone(plan.renewal ? inTurn(core, sides.target, apply) : apply());
  } catch (error) {
    if (!(error instanceof UniqueViolation) || !sides.source) throw error;
    const branch = plan.renewal?.target ?? sides.target.branch;
    await refuseSecond(core, pairOf({ source: sides.source, target: { ...sides.target, branch } }));
    throw error;
  }
}

async function planFor(
  core: Core,
  row: MergeRequestRow,
  { sides, access, input, userId }: UpdateCall,
): Promise<Plan> {
  const { project } = sides.target;
  const problems = textProblems({ ...input, title: input.title === null ? '' : input.title });
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
  const milestoneId = await chosenMilestone(core.db, project, input.milestone_id);
  const target =
    input.target_branch && input.target_branch !== row.target_branch ? input.target_branch : null;
  const reopens = input.state_event === 'reopen' && row.state === 'closed';
  const renewed = (target !== null || reopens) && row.state !== 'merged';
  const version = renewed ? await versionOf(core, sides, target) : null;
  return {
    project,
    changes: {
      ...fieldChanges(input),
      ...(milestoneId !== undefined && { milestone_id: milestoneId }),
    },
    renewal: version && { version, target },
    createLabels: access.can('admin_label'),
    userId,
    assignees: await peopleFor(core, project, { one: input.assignee_id, many: input.assignee_ids }),
    reviewers: await peopleFor(core, project, { many: input.reviewer_ids }),
    input,
  };
}

function fieldChanges(input: MergeRequestChange): Changes {
  const flag = (value: boolean) => (value ? 1 : 0);
  return {
    ...(input.title != null && { title: input.title, draft: flag(isDraftTitle(input.title)) }),
    ...(input.description !== undefined && { description: input.description }),
    ...(input.remove_source_branch != null && {
      force_remove_source_branch: flag(input.remove_source_branch),
    }),
    ...(input.squash != null && { squash: flag(input.squash) }),
    ...(input.allow_collaboration != null && { allow_collaboration: flag(input.allow_collaboration) }),
    ...(input.discussion_locked != null && { discussion_locked: flag(input.discussion_locked) }),
  };
}

function versionOf(core: Core, { source, target }: Sides, branch: string | null): Promise<Version> {
  if (!source) throw fail.invalid({ source_branch: ['does not exist'] });
  return versionFor(core, { source, target: { ...target, branch: branch ?? target.branch } }, {});
}
