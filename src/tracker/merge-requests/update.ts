import type { ProjectAccess } from '../../core/access/access.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { relabel } from '../labels/named.ts';
import { chosenMilestone } from '../milestones/chosen.ts';
import { recordHistory } from '../resource-events/record.ts';
import type { MergeRequestRow } from '../tables.ts';
import type { Sides } from './branches.ts';
import { pairOf, refuseSecond, textProblems, versionFor } from './create.ts';
import { peopleFor } from './people.ts';
import { replacePeople } from './related-store.ts';
import { findMergeRequestById, updateMergeRequestRow } from './store.ts';
import { fieldDeeds, noteDeeds, peopleDeeds } from './system-notes.ts';
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
  milestone_id?: number | null | undefined;
  add_labels?: string[] | null | undefined;
  remove_labels?: string[] | null | undefined;
  remove_source_branch?: boolean | null | undefined;
  squash?: boolean | null | undefined;
  allow_collaboration?: boolean | null | undefined;
  discussion_locked?: boolean | null | undefined;
}

type Changes = Parameters<typeof updateMergeRequestRow>[2];
type StateEvent = 'merge_request.closed' | 'merge_request.reopened' | null;

/** What another target, or opening it again, makes of it. */
interface Renewal {
  version: Version;
  /** null: the branch it had. */
  target: string | null;
}

/** What is to happen, found before the transaction: it may have to look at repositories. */
interface Plan {
  project: ProjectWithNamespace;
  changes: Changes;
  renewal: Renewal | null;
  createLabels: boolean;
  userId: number;
  assignees: number[] | undefined;
  reviewers: number[] | undefined;
  input: MergeRequestChange;
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
    return await core.database.transaction((tx) => apply(core, tx, row.id, plan));
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

const versionChanges = ({ version: { commits: _, ...version }, target }: Renewal): Changes => ({
  ...version,
  ...(target !== null && { target_branch: target, auto_merge: null }),
});

/** The row is read again within the transaction: a push or a merge may have come meanwhile. */
async function apply(core: Core, tx: Tx, id: number, plan: Plan): Promise<MergeRequestRow> {
  const { userId, input } = plan;
  const now = core.clock.now();
  const before = await findMergeRequestById(tx, id);
  if (!before) throw fail.recordNotFound();
  const renewal = before.state === 'merged' ? null : plan.renewal;
  const changes = { ...plan.changes, ...(renewal && versionChanges(renewal)) };
  const state = stateChange(before, input.state_event, { userId, now });
  const updated = await updateMergeRequestRow(tx, id, {
    ...changes,
    ...state.changes,
    ...(renewal && nextVersion(before)),
    updated_at: now,
  });
  if (!updated) throw fail.recordNotFound();
  if (renewal) {
    await replaceCommits(tx, id, renewal.version.commits);
    await insertVersion(tx, updated, now);
  }
  const lists = await changeLists(tx, id, plan, now);
  await writeHistory(core, tx, { before, updated, lists, state: state.event, userId });
  await announce(core, tx, updated, {
    userId,
    state: state.event,
    fields: changedFields(before, changes),
    lists,
  });
  return updated;
}

interface Lists {
  assignees?: PeopleChange;
  reviewers?: PeopleChange;
  labels?: PeopleChange;
}

/** Those of the lists that have changed. */
async function changeLists(tx: Tx, id: number, plan: Plan, now: number): Promise<Lists> {
  const { assignees: assigned, reviewers: reviewing, project, input, createLabels } = plan;
  const assignees = assigned && (await replacePeople(tx, 'assignees', id, { userIds: assigned, now }));
  const reviewers = reviewing && (await replacePeople(tx, 'reviewers', id, { userIds: reviewing, now }));
  const naming = { create: createLabels, now };
  const labels = await relabel(tx, { kind: 'merge_request', id, project }, input, naming);
  return {
    ...(isChange(assignees) && { assignees }),
    ...(isChange(reviewers) && { reviewers }),
    ...(isChange(labels) && { labels }),
  };
}

const STATES = { 'merge_request.closed': 'closed', 'merge_request.reopened': 'reopened' } as const;

interface Done {
  before: MergeRequestRow;
  updated: MergeRequestRow;
  lists: Lists;
  state: StateEvent;
  userId: number;
}

async function writeHistory(
  core: Core,
  tx: Tx,
  { before, updated, lists, state, userId }: Done,
): Promise<void> {
  const { id, project_id: projectId, updated_at: now } = updated;
  const done = state ? STATES[state] : undefined;
  await recordHistory(
    tx,
    { type: 'MergeRequest', id, projectId, userId, now },
    {
      labels: lists.labels,
      milestone: { before: before.milestone_id, after: updated.milestone_id },
      state: done,
    },
  );
  const bodies = [...(done ? [done] : []), ...fieldDeeds(before, updated), ...(await peopleDeeds(tx, lists))];
  await noteDeeds(tx, core, updated, { userId, bodies });
}

async function announce(
  core: Core,
  tx: Tx,
  row: MergeRequestRow,
  { userId, state, fields, lists }: { userId: number; state: StateEvent; fields: string[]; lists: Lists },
): Promise<void> {
  const ids = { projectId: row.project_id, mergeRequestId: row.id, iid: row.iid, userId };
  const stream = `project:${row.project_id}`;
  if (state) await core.events.publish(tx, { type: state, stream, payload: ids });
  const changes = [...fields, ...Object.keys(lists)];
  if (changes.length === 0) return;
  const payload = { ...ids, changes, ...lists };
  await core.events.publish(tx, { type: 'merge_request.updated', stream, payload });
}

type PeopleChange = { added: number[]; removed: number[] };

const isChange = (change: PeopleChange | undefined): change is PeopleChange =>
  change !== undefined && change.added.length + change.removed.length > 0;

/** What follows from other changes. */
const QUIET = new Set(['merge_status', 'merge_status_of', 'auto_merge']);

function changedFields(row: MergeRequestRow, changes: Changes): string[] {
  return Object.entries(changes)
    .filter(([key, value]) => !QUIET.has(key) && row[key as keyof MergeRequestRow] !== value)
    .map(([key]) => key);
}
