import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { relabel } from '../labels/named.ts';
import type { MergeRequestRow } from '../tables.ts';
import type { Sides } from './branches.ts';
import { pairOf, refuseSecond, textProblems, versionFor } from './create.ts';
import { peopleFor } from './people.ts';
import { replacePeople } from './related-store.ts';
import { findMergeRequestById, updateMergeRequestRow } from './store.ts';
import { isDraftTitle } from './texts.ts';
import { nextVersion } from './versions/advance.ts';
import { replaceCommits } from './versions/commits-store.ts';
import { insertVersion } from './versions/store.ts';
import type { Version } from './versions/version.ts';
import '../events.ts';

export interface MergeRequestChange {
  title?: string | null | undefined;
  description?: string | null | undefined;
  target_branch?: string | null | undefined;
  state_event?: 'close' | 'reopen' | null | undefined;
  assignee_id?: number | null | undefined;
  assignee_ids?: number[] | null | undefined;
  reviewer_ids?: number[] | null | undefined;
  labels?: string[] | null | undefined;
  add_labels?: string[] | null | undefined;
  remove_labels?: string[] | null | undefined;
  remove_source_branch?: boolean | null | undefined;
  squash?: boolean | null | undefined;
  allow_collaboration?: boolean | null | undefined;
  discussion_locked?: boolean | null | undefined;
}

type Changes = Parameters<typeof updateMergeRequestRow>[2];
type StateEvent = 'merge_request.closed' | 'merge_request.reopened' | null;

/** What is to happen, found before the transaction: it may have to look at repositories. */
interface Plan {
  project: ProjectWithNamespace;
  changes: Changes;
  version: Version | null;
  stateEvent: StateEvent;
  assignees: number[] | undefined;
  reviewers: number[] | undefined;
  input: MergeRequestChange;
}

/**
 * Changes a merge request. Throws 400 for texts and branches that will not do, 409 where the change would make a second open
 * one for the same branches. A state event that does not fit the state changes nothing, as in GitLab.
 */
export async function updateMergeRequest(
  core: Core,
  row: MergeRequestRow,
  { sides, input, userId }: { sides: Sides; input: MergeRequestChange; userId: number },
): Promise<MergeRequestRow> {
  const plan = await planFor(core, row, sides, input, userId);
  try {
    return await core.database.transaction((tx) => apply(core, tx, row, plan, userId));
  } catch (error) {
    if (!(error instanceof UniqueViolation) || !sides.source) throw error;
    const branch = plan.changes.target_branch ?? sides.target.branch;
    await refuseSecond(core, pairOf({ source: sides.source, target: { ...sides.target, branch } }));
    throw error;
  }
}

async function planFor(
  core: Core,
  row: MergeRequestRow,
  sides: Sides,
  input: MergeRequestChange,
  userId: number,
): Promise<Plan> {
  const { project } = sides.target;
  const problems = textProblems({ ...input, title: input.title === null ? '' : input.title });
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
  const now = core.clock.now();
  const state = stateChange(row, input.state_event, { userId, now });
  const target =
    input.target_branch && input.target_branch !== row.target_branch ? input.target_branch : null;
  const renewed = target !== null || state.event === 'merge_request.reopened';
  const version = renewed && row.state !== 'merged' ? await versionOf(core, sides, target) : null;
  return {
    project,
    changes: {
      ...fieldChanges(input),
      ...state.changes,
      ...(version && versionChanges(version, target)),
    },
    version,
    stateEvent: state.event,
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

function stateChange(
  row: MergeRequestRow,
  event: MergeRequestChange['state_event'],
  { userId, now }: { userId: number; now: number },
): { changes: Changes; event: StateEvent } {
  if (event === 'close' && row.state === 'opened') {
    const changes = { state: 'closed', closed_by_id: userId, closed_at: now, auto_merge: null } as const;
    return { changes, event: 'merge_request.closed' };
  }
  if (event === 'reopen' && row.state === 'closed') {
    const changes = { state: 'opened', closed_by_id: null, closed_at: null } as const;
    return { changes, event: 'merge_request.reopened' };
  }
  return { changes: {}, event: null };
}

function versionOf(core: Core, { source, target }: Sides, branch: string | null): Promise<Version> {
  if (!source) throw fail.invalid({ source_branch: ['does not exist'] });
  return versionFor(core, { source, target: { ...target, branch: branch ?? target.branch } }, {});
}

const versionChanges = ({ commits: _, ...version }: Version, target: string | null): Changes => ({
  ...version,
  ...(target !== null && { target_branch: target, auto_merge: null }),
});

async function apply(
  core: Core,
  tx: Tx,
  row: MergeRequestRow,
  plan: Plan,
  userId: number,
): Promise<MergeRequestRow> {
  const { changes, version, stateEvent, assignees, reviewers } = plan;
  const now = core.clock.now();
  // Read again within the transaction: a push may have made a version meanwhile.
  const current = version && (await findMergeRequestById(tx, row.id));
  const updated = await updateMergeRequestRow(tx, row.id, {
    ...changes,
    ...(current && nextVersion(current)),
    updated_at: now,
  });
  if (!updated) throw fail.recordNotFound();
  if (version) {
    await replaceCommits(tx, row.id, version.commits);
    await insertVersion(tx, updated, updated.updated_at);
  }
  const newAssignees =
    assignees && (await replacePeople(tx, 'assignees', row.id, { userIds: assignees, now }));
  const newReviewers =
    reviewers && (await replacePeople(tx, 'reviewers', row.id, { userIds: reviewers, now }));
  const labels = await relabel(tx, { kind: 'merge_request', id: row.id, project: plan.project }, plan.input, {
    create: true,
    now,
  });
  const ids = { projectId: row.project_id, mergeRequestId: row.id, iid: row.iid, userId };
  const stream = `project:${row.project_id}`;
  if (stateEvent) await core.events.publish(tx, { type: stateEvent, stream, payload: ids });
  const changed = [
    ...changedFields(row, changes),
    ...(isChange(newAssignees) ? ['assignees'] : []),
    ...(isChange(newReviewers) ? ['reviewers'] : []),
    ...(isChange(labels) ? ['labels'] : []),
  ];
  if (changed.length > 0) {
    const people = {
      ...(isChange(newAssignees) && { assignees: newAssignees }),
      ...(isChange(newReviewers) && { reviewers: newReviewers }),
    };
    const payload = { ...ids, changes: changed, ...people };
    await core.events.publish(tx, { type: 'merge_request.updated', stream, payload });
  }
  return updated;
}

type PeopleChange = { added: number[]; removed: number[] };

const isChange = (change: PeopleChange | undefined): change is PeopleChange =>
  change !== undefined && change.added.length + change.removed.length > 0;

/** Closing and reopening have events of their own. */
const QUIET = new Set([
  'state',
  'closed_by_id',
  'closed_at',
  'version',
  'merge_status',
  'merge_status_of',
  'auto_merge',
]);

function changedFields(row: MergeRequestRow, changes: Changes): string[] {
  return Object.entries(changes)
    .filter(([key, value]) => !QUIET.has(key) && row[key as keyof MergeRequestRow] !== value)
    .map(([key]) => key);
}
