import { Level } from '../../core/access/levels.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { nextIid, reserveIid } from '../counters-store.ts';
import { notFoundWhenGone } from '../gone.ts';
import { relabel } from '../labels/named.ts';
import { chosenMilestone } from '../milestones/chosen.ts';
import { recordHistory } from '../resource-events/record.ts';
import { announceOpened, deedOn } from './announce.ts';
import { assigneeFor } from './assignees.ts';
import { replaceAssignees } from './people-store.ts';
import { insertIssue } from './store.ts';
import type { IssueRow, IssueType } from './tables.ts';
import { checkTexts } from './texts.ts';

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
  const chosen: Chosen = {
    milestoneId: (await chosenMilestone(core.db, project, known.milestone_id)) ?? null,
    dueDate: known.due_date ?? null,
    iid: access.level >= Level.owner ? (input.iid ?? null) : null,
    now: (access.level >= Level.owner && input.created_at) || core.clock.now(),
  };
  const assignees = (await assigneeFor(core, project, known)) ?? [];
  const written = core.database.transaction(async (tx) => {
    const issue = await insertRow(tx, { projectId: project.id, authorId: caller.user.id }, input, chosen);
    await replaceAssignees(tx, issue.id, assignees);
    const naming = { create: access.can('admin_label'), now: chosen.now };
    const asked = { labels: known.labels };
    const labels = await relabel(tx, { kind: 'issue', id: issue.id, project }, asked, naming);
    const milestone = { before: null, after: issue.milestone_id };
    await recordHistory(tx, deedOn(issue, caller.user.id, chosen.now), { labels, milestone });
    await announceOpened(core, tx, issue, caller.user.id);
    return issue;
  });
  return notFoundWhenGone(written);
}

/** What is left of what was asked for once rights are looked at; null for the usual. */
interface Chosen {
  milestoneId: number | null;
  dueDate: string | null;
  iid: number | null;
  now: number;
}

async function insertRow(
  tx: Tx,
  { projectId, authorId }: { projectId: number; authorId: number },
  input: NewIssue,
  chosen: Chosen,
): Promise<IssueRow> {
  const iid = await numberFor(tx, projectId, chosen.iid);
  const issue = await insertIssue(tx, {
    iid,
    project_id: projectId,
    title: input.title,
    description: input.description ?? null,
    issue_type: input.issue_type ?? 'issue',
    author_id: authorId,
    confidential: input.confidential ? 1 : 0,
    due_date: chosen.dueDate,
    milestone_id: chosen.milestoneId,
    relative_position: firstPosition(iid),
    created_at: chosen.now,
    updated_at: chosen.now,
  });
  if (!issue) throw fail.conflict('Duplicated issue');
  return issue;
}

/** Room for twenty issues to be moved in between two before the project's issues must be numbered anew. */
export const POSITION_GAP = 2 ** 20;

/** By hand nobody has moved it yet: it stands behind what is older. */
export const firstPosition = (iid: number): number => iid * POSITION_GAP;

async function numberFor(tx: Tx, projectId: number, wanted: number | null): Promise<number> {
  if (wanted === null) return nextIid(tx, projectId, 'issue');
  await reserveIid(tx, projectId, 'issue', wanted);
  return wanted;
}
