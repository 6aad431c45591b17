import type { Core } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { notFoundWhenGone } from '../gone.ts';
import { newlyNamed } from '../issuable.ts';
import { type LabelInput, relabel } from '../labels/named.ts';
import { chosenMilestone } from '../milestones/chosen.ts';
import { recordHistory } from '../resource-events/record.ts';
import { announceChange, announceState, deedOn } from './announce.ts';
import { assigneeFor } from './assignees.ts';
import type { IssueFields } from './create.ts';
import { replaceAssignees } from './people-store.ts';
import { HISTORY, stateChange } from './state.ts';
import { findIssueById, updateIssueRow } from './store.ts';
import { noteChange } from './system-notes.ts';
import type { IssueRow } from './tables.ts';
import { checkTexts } from './texts.ts';

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
  project: ProjectWithNamespace;
  changes: Changes;
  assignees: number[] | undefined;
  createLabels: boolean;
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
  const plan: Plan = {
    project,
    changes: fieldChanges(input, await chosenMilestone(core.db, project, input.milestone_id)),
    assignees: await assigneeFor(core, project, input),
    createLabels: access.can('admin_label'),
    input,
    userId,
  };
  return notFoundWhenGone(core.database.transaction((tx) => apply(core, tx, row.id, plan)));
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

async function apply(core: Core, tx: Tx, id: number, plan: Plan): Promise<IssueRow> {
  const { changes, input, userId } = plan;
  const now = core.clock.now();
  const before = await findIssueById(tx, id);
  if (!before) throw fail.recordNotFound();
  const state = stateChange(before, input.state_event, { userId, now });
  const lists = await changeLists(tx, id, plan, now);
  const updatedAt = { updated_at: input.updated_at ?? now };
  const updated = await updateIssueRow(tx, id, { ...changes, ...state.changes, ...updatedAt });
  if (!updated) throw fail.recordNotFound();
  await noteChange(tx, core, { before, after: updated, assignees: lists.assignees, userId });
  await recordHistory(tx, deedOn(updated, userId, now), {
    labels: lists.labels,
    milestone: { before: before.milestone_id, after: updated.milestone_id },
    state: state.event ? HISTORY[state.event] : undefined,
  });
  if (state.event) await announceState(core, tx, updated, state.event, userId);
  await announceChange(core, tx, updated, userId, {
    fields: differing(before, changes),
    mentioned: newlyNamed(before, updated),
    ...lists,
  });
  return updated;
}

/** Those of the lists that have changed. */
async function changeLists(
  tx: Tx,
  id: number,
  { project, assignees: assigned, createLabels: create, input }: Plan,
  now: number,
): Promise<{ assignees?: PeopleChange; labels?: PeopleChange }> {
  const assignees = assigned && (await replaceAssignees(tx, id, assigned));
  const labels = await relabel(tx, { kind: 'issue', id, project }, input, { create, now });
  return { ...(isChange(assignees) && { assignees }), ...(isChange(labels) && { labels }) };
}

const isChange = (change: PeopleChange | undefined): change is PeopleChange =>
  change !== undefined && change.added.length + change.removed.length > 0;

const differing = (before: IssueRow, changes: Changes): string[] =>
  Object.entries(changes)
    .filter(([key, value]) => before[key as keyof IssueRow] !== value)
    .map(([key]) => key);
