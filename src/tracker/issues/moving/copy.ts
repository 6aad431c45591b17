import type { Core } from '../../../core/core.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import { nextIid } from '../../counters-store.ts';
import { loadLabelNames, replaceLabels } from '../../labels/links-store.ts';
import { labelIdsNamed, scopeOf } from '../../labels/named.ts';
import { listMilestones, loadMilestones } from '../../milestones/store.ts';
import { announceOpened } from '../announce.ts';
import { assigneeFor } from '../assignees.ts';
import { firstPosition } from '../create.ts';
import { loadAssignees, replaceAssignees } from '../people-store.ts';
import { insertIssue } from '../store.ts';
import type { IssueRow } from '../tables.ts';

/** What the target project knows of what the issue has; found before the transaction. */
export interface Luggage {
  milestoneId: number | null;
  assignees: number[];
}

/** The milestone of the same title, and the assignees who may read issues there; labels are matched when it is copied. */
export async function packFor(core: Core, issue: IssueRow, target: ProjectWithNamespace): Promise<Luggage> {
  const milestone = (await loadMilestones(core.db, [issue.milestone_id])).get(issue.milestone_id ?? 0);
  const { projectId, groupIds } = scopeOf(target);
  const [same] = milestone
    ? await listMilestones(
        core.db,
        { projectId: projectId!, groupIds, title: milestone.title },
        { limit: 1, offset: 0 },
      )
    : [];
  const assigned = (await loadAssignees(core.db, [issue.id])).get(issue.id) ?? [];
  const assignees = (await assigneeFor(core, target, { assignee_ids: assigned })) ?? [];
  return { milestoneId: same?.id ?? null, assignees };
}

/** A new open issue in the target project. */
export async function copyIssue(
  core: Core,
  tx: Tx,
  from: IssueRow,
  to: {
    target: ProjectWithNamespace;
    luggage: Luggage;
    authorId: number | null;
    createdAt: number;
    userId: number;
  },
): Promise<IssueRow> {
  const { target, luggage } = to;
  const now = core.clock.now();
  const iid = await nextIid(tx, target.id, 'issue');
  const copy = await insertIssue(tx, {
    iid,
    project_id: target.id,
    title: from.title,
    description: from.description,
    issue_type: from.issue_type,
    author_id: to.authorId,
    confidential: from.confidential,
    discussion_locked: from.discussion_locked,
    due_date: from.due_date,
    milestone_id: luggage.milestoneId,
    time_estimate: from.time_estimate,
    relative_position: firstPosition(iid),
    created_at: to.createdAt,
    updated_at: now,
  });
  if (!copy) throw new Error(`the counter of project ${target.id} gave number ${iid} twice`);
  await replaceAssignees(tx, copy.id, luggage.assignees);
  const names = (await loadLabelNames(tx, 'issue', [from.id])).get(from.id) ?? [];
  await replaceLabels(tx, 'issue', copy.id, await labelIdsNamed(tx, target, names, { create: false, now }));
  await announceOpened(core, tx, copy, to.userId);
  return copy;
}
