import type { Core } from '../../core/core.ts';
import { projectStream } from '../../core/events.ts';
import type { InProject } from '../../core/guards.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { type LabelInput, relabel } from '../labels/named.ts';
import { chosenMilestone } from '../milestones/chosen.ts';
import { recordHistory } from '../resource-events/record.ts';
import { assigneeFor } from './assignees.ts';
import type { IssueFields } from './create.ts';
import { replaceAssignees } from './people-store.ts';
import { findIssueById, updateIssueRow } from './store.ts';
import { noteChange } from './system-notes.ts';
import type { IssueRow } from './tables.ts';
import { checkTexts } from './texts.ts';
import '../events.ts';

export interface IssueChange extends IssueFields, LabelInput {
  title?: string | null | undefined;
  state_event?: 'close' | 'reopen' | null | undefined;
  discussion_locked?: boolean | null | undefined;
  /** When it is said to have changed; for administrators and owners. */
  updated_at?: number | null | undefined;
}

type Changes = Parameters<typeof updateIssueRow>[2];
type PeopleChange = { added: number[]; removed: number[] };

/** Found before the transaction: it asks about rights. */
interface Plan {
  changes: Changes;
  assignees: number[] | undefined;
  input: IssueChange;
  userId: number;
}

/**
 * Changes an issue. A state event that does not fit the state changes nothing, as in GitLab. Throws 400 for texts that will
 * not do, 404 when it is gone meanwhile.
 */
export async function updateIssue(
  core: Core,
  row: IssueRow,
  { project, access }: InProject,
  { input, userId }: { input: IssueChange; userId: number },
): Promise<IssueRow> {
  checkTexts({ title: input.title, description: input.description });
  const plan = {
    changes: fieldChanges(input, await chosenMilestone(core.db, project, input.milestone_id)),
    assignees: await assigneeFor(core, project, input),
    input,
    userId,
  };
  return core.database.transaction(async (tx) => {
    const labelled = await relabel(tx, { kind: 'issue', id: row.id, project }, input, {
      create: access.can('admin_label'),
      now: core.clock.now(),
    });
    return apply(core, tx, row.id, plan, labelled);
  });
}

function fieldChanges(input: IssueChange, milestoneId: number | null | undefined): Changes {
  const flag = (value: boolean) => (value ? 1 : 0);
  return {
    ...(input.title != null && { title: input.title }),
    ...(input.description !== undefined && { description: input.description }),
    ...(input.confidential != null && { confidential: flag(input.confidential) }),
    ...(input.discussion_locked !== undefined && {
      discussion_locked: input.discussion_locked === null ? null : flag(input.discussion_locked),
    }),
    ...(input.due_date !== undefined && { due_date: input.due_date }),
    ...(input.issue_type != null && { issue_type: input.issue_type }),
    ...(milestoneId !== undefined && { milestone_id: milestoneId }),
  };
}

async function apply(
  core: Core,
  tx: Tx,
  id: number,
  { changes, assignees, input, userId }: Plan,
  labels: PeopleChange | undefined,
): Promise<IssueRow> {
  const now = core.clock.now();
  const before = await findIssueById(tx, id);
  if (!before) throw fail.recordNotFound();
  const state = stateChange(before, input.state_event, { userId, now });
  const assigned = assignees && (await replaceAssignees(tx, id, assignees));
  const updatedAt = { updated_at: input.updated_at ?? now };
  const updated = await updateIssueRow(tx, id, { ...changes, ...state.changes, ...updatedAt });
  if (!updated) throw fail.recordNotFound();
  await noteChange(tx, core, { before, after: updated, assignees: assigned, userId });
  await recordHistory(tx, deedOn(updated, userId, now), {
    labels,
    milestone: { before: before.milestone_id, after: updated.milestone_id },
    state: state.event ? HISTORY[state.event] : undefined,
  });
  if (state.event) await announceState(core, tx, updated, state.event, userId);
  await announceChange(core, tx, updated, userId, {
    fields: differing(before, changes),
    ...(isChange(assigned) && { assignees: assigned }),
    ...(isChange(labels) && { labels }),
  });
  return updated;
}

export type StateEvent = 'issue.closed' | 'issue.reopened';

/** What closing or reopening means for the row; nothing where it is so already. */
export function stateChange(
  row: IssueRow,
  event: IssueChange['state_event'],
  { userId, now }: { userId: number | null; now: number },
): { changes: Changes; event: StateEvent | null } {
  if (event === 'close' && row.state === 'opened') {
    return { changes: { state: 'closed', closed_by_id: userId, closed_at: now }, event: 'issue.closed' };
  }
  if (event === 'reopen' && row.state === 'closed') {
    return { changes: { state: 'opened', closed_by_id: null, closed_at: null }, event: 'issue.reopened' };
  }
  return { changes: {}, event: null };
}

const HISTORY = { 'issue.closed': 'closed', 'issue.reopened': 'reopened' } as const;

/** For the history of labels, milestones and states. */
export const deedOn = (row: IssueRow, userId: number | null, now: number) =>
  ({ type: 'Issue', id: row.id, projectId: row.project_id, userId, now }) as const;

export async function announceState(
  { events }: Pick<Core, 'events'>,
  tx: Tx,
  row: IssueRow,
  type: StateEvent,
  userId: number | null,
): Promise<void> {
  await events.publish(tx, { type, stream: projectStream(row.project_id), payload: idsOf(row, userId) });
}

interface Changed {
  fields: string[];
  assignees?: PeopleChange;
  labels?: PeopleChange;
}

async function announceChange(
  { events }: Pick<Core, 'events'>,
  tx: Tx,
  row: IssueRow,
  userId: number,
  { fields, ...lists }: Changed,
): Promise<void> {
  const changes = [...fields, ...Object.keys(lists)];
  if (changes.length === 0) return;
  const payload = { ...idsOf(row, userId), changes, ...lists };
  await events.publish(tx, { type: 'issue.updated', stream: projectStream(row.project_id), payload });
}

export const idsOf = ({ id, iid, project_id: projectId }: IssueRow, userId: number | null) => ({
  projectId,
  issueId: id,
  iid,
  userId,
});

const isChange = (change: PeopleChange | undefined): change is PeopleChange =>
  change !== undefined && change.added.length + change.removed.length > 0;

const differing = (before: IssueRow, changes: Changes): string[] =>
  Object.entries(changes)
    .filter(([key, value]) => before[key as keyof IssueRow] !== value)
    .map(([key]) => key);
