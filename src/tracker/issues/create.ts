import { Level } from '../../core/access/levels.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { projectStream } from '../../core/events.ts';
import type { InProject } from '../../core/guards.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { nextIid, reserveIid } from '../counters-store.ts';
import { relabel } from '../labels/named.ts';
import { chosenMilestone } from '../milestones/chosen.ts';
import { recordHistory } from '../resource-events/record.ts';
import { assigneeFor } from './assignees.ts';
import { replaceAssignees } from './people-store.ts';
import { insertIssue } from './store.ts';
import type { IssueRow, IssueType } from './tables.ts';
import { checkTexts } from './texts.ts';
import '../events.ts';

/** What issues and their copies are made from and changed by. */
export interface IssueFields {
  description?: string | null | undefined;
  confidential?: boolean | null | undefined;
  assignee_id?: number | null | undefined;
  assignee_ids?: (number | null)[] | null | undefined;
  /** The id, not the number within the project; 0 for none. */
  milestone_id?: number | null | undefined;
  labels?: string[] | null | undefined;
  /** `YYYY-MM-DD` */
  due_date?: string | null | undefined;
  issue_type?: IssueType | null | undefined;
}

export interface NewIssue extends IssueFields {
  title: string;
  /** These two are for administrators and owners; from others they are not heard. */
  iid?: number | null | undefined;
  created_at?: number | null | undefined;
}

/**
 * Opens an issue. Members may say at once who is to do it, when and what it belongs to; from others only the words count, as
 * in GitLab. Throws 400 for texts that will not do, 409 for a number in use.
 */
export async function createIssue(
  core: Core,
  caller: Caller,
  { project, access }: InProject,
  input: NewIssue,
): Promise<IssueRow> {
  checkTexts({ title: input.title, description: input.description });
  const known: IssueFields = access.level >= Level.guest ? input : {};
  const isOwner = access.level >= Level.owner;
  const now = (isOwner && input.created_at) || core.clock.now();
  const milestoneId = await chosenMilestone(core.db, project, known.milestone_id);
  const assignees = await assigneeFor(core, project, known);
  return core.database.transaction(async (tx) => {
    const iid = await numberFor(tx, project.id, isOwner ? input.iid : null);
    const issue = await insertIssue(tx, {
      iid,
      project_id: project.id,
      title: input.title,
      description: input.description ?? null,
      issue_type: input.issue_type ?? 'issue',
      author_id: caller.user.id,
      confidential: input.confidential ? 1 : 0,
      due_date: known.due_date ?? null,
      milestone_id: milestoneId ?? null,
      relative_position: firstPosition(iid),
      created_at: now,
      updated_at: now,
    });
    if (!issue) throw fail.conflict('Duplicated issue');
    await replaceAssignees(tx, issue.id, assignees ?? []);
    const labels = { labels: known.labels };
    const labelled = await relabel(tx, { kind: 'issue', id: issue.id, project }, labels, {
      create: access.can('admin_label'),
      now,
    });
    const deed = { type: 'Issue', id: issue.id, projectId: project.id, userId: caller.user.id, now } as const;
    const milestone = { before: null, after: issue.milestone_id };
    await recordHistory(tx, deed, { labels: labelled, milestone });
    await announceOpened(core, tx, issue, caller.user.id);
    return issue;
  });
}

/** Room for twenty issues to be moved in between two before the project's issues must be numbered anew. */
export const POSITION_GAP = 2 ** 20;

/** By hand nobody has moved it yet: it stands behind what is older. */
export const firstPosition = (iid: number): number => iid * POSITION_GAP;

async function numberFor(tx: Tx, projectId: number, wanted: number | null | undefined): Promise<number> {
  if (wanted == null) return nextIid(tx, projectId, 'issue');
  await reserveIid(tx, projectId, 'issue', wanted);
  return wanted;
}

export async function announceOpened(
  { events }: Pick<Core, 'events'>,
  tx: Tx,
  { id, iid, project_id: projectId }: IssueRow,
  userId: number,
): Promise<void> {
  const payload = { projectId, issueId: id, iid, userId };
  await events.publish(tx, { type: 'issue.opened', stream: projectStream(projectId), payload });
}
