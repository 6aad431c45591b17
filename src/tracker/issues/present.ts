import { isoTimeOrNull, presentUserBasic } from '../../core/entities.ts';
import type { User } from '../../core/tables.ts';
import { presentAuthor } from '../../core/users/ghost.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { type Reactions, reactionCounts } from '../award-emoji/store.ts';
import { presentIssuable } from '../issuable.ts';
import { presentLabelDetails } from '../labels/entities.ts';
import { loadLabels } from '../labels/links-store.ts';
import type { LabelRow } from '../labels/tables.ts';
import { loadProjects } from '../merge-requests/related-store.ts';
import { countTasks } from '../merge-requests/texts.ts';
import { type PlacedMilestone, presentMilestone } from '../milestones/entities.ts';
import { loadMilestones } from '../milestones/store.ts';
import { countUserNotes } from '../notes/store.ts';
import { timeStats } from '../time-stats/entity.ts';
import { timeSpent } from '../time-stats/store.ts';
import type { IssueBasicJson } from './entities.ts';
import { countClosing } from './mentions/store.ts';
import { loadAssignees } from './people-store.ts';
import type { IssueRow } from './tables.ts';

export interface PresentOptions {
  baseUrl: string;
  /** `YYYY-MM-DD`: milestones are expired before it. */
  today: string;
  /** Whether all of the list is of one project: a reference needs no path then. */
  inProject: boolean;
  labelDetails?: boolean;
}

/** What a page of issues takes from other rows: as many queries for one as for a hundred. */
interface Related {
  users: Map<number, User>;
  assignees: Map<number, number[]>;
  labels: Map<number, LabelRow[]>;
  milestones: Map<number, PlacedMilestone>;
  noteCounts: Map<number, number>;
  closing: Map<number, number>;
  reactions: Map<number, Reactions>;
  spent: Map<number, number>;
  projects: Map<number, { full_path: string }>;
}

export async function presentIssues(
  db: Queryable,
  rows: readonly IssueRow[],
  options: PresentOptions,
): Promise<IssueBasicJson[]> {
  const related = await loadRelated(db, rows);
  return rows.map((row) => presentBasic(row, related, options));
}

async function loadRelated(db: Queryable, rows: readonly IssueRow[]): Promise<Related> {
  const ids = rows.map(({ id }) => id);
  const projectIds = rows.map((row) => row.project_id);
  const milestoneIds = rows.map((row) => row.milestone_id);
  const [assignees, labels, milestones, noteCounts, closing, reactions, spent, projects] = await Promise.all([
    loadAssignees(db, ids),
    loadLabels(db, 'issue', ids),
    loadMilestones(db, milestoneIds),
    countUserNotes(db, 'Issue', ids),
    countClosing(db, ids),
    reactionCounts(db, 'Issue', ids),
    timeSpent(db, 'Issue', ids),
    loadProjects(db, projectIds),
  ]);
  const own = rows.flatMap((row) => [row.author_id ?? [], row.closed_by_id ?? []].flat());
  const users = await findUsersByIds(db, [...own, ...[...assignees.values()].flat()]);
  return { users, assignees, labels, milestones, noteCounts, closing, reactions, spent, projects };
}

function presentBasic(row: IssueRow, related: Related, options: PresentOptions): IssueBasicJson {
  const { baseUrl } = options;
  const milestone = related.milestones.get(row.milestone_id ?? 0);
  const labels = related.labels.get(row.id) ?? [];
  const fullPath = related.projects.get(row.project_id)!.full_path;
  return {
    ...presentIssuable(row),
    closed_at: isoTimeOrNull(row.closed_at),
    labels: options.labelDetails ? labels.map(presentLabelDetails) : labels.map(({ name }) => name),
    milestone: milestone ? presentMilestone(milestone, options) : null,
    ...peopleOf(row, related, baseUrl),
    type: row.issue_type.toUpperCase(),
    user_notes_count: related.noteCounts.get(row.id) ?? 0,
    merge_requests_count: related.closing.get(row.id) ?? 0,
    upvotes: related.reactions.get(row.id)?.upvotes ?? 0,
    downvotes: related.reactions.get(row.id)?.downvotes ?? 0,
    due_date: row.due_date,
    confidential: row.confidential === 1,
    discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
    issue_type: row.issue_type,
    web_url: `${baseUrl}/${fullPath}/-/issues/${row.iid}`,
    time_stats: timeStats(row, related.spent.get(row.id)),
    ...tasksOf(row.description),
    blocking_issues_count: 0,
    ...addressesOf(row, fullPath, options),
    severity: 'UNKNOWN',
    moved_to_id: row.moved_to_id,
    imported: false,
    imported_from: 'none',
    service_desk_reply_to: null,
  };
}

function peopleOf(row: IssueRow, { users, assignees }: Related, baseUrl: string) {
  const assigned = (assignees.get(row.id) ?? []).flatMap((id) => users.get(id) ?? []);
  const shown = assigned.map((user) => presentUserBasic(user, baseUrl));
  const closer = users.get(row.closed_by_id ?? 0);
  return {
    author: presentAuthor(users.get(row.author_id ?? 0), baseUrl),
    assignees: shown,
    assignee: shown[0] ?? null,
    closed_by: closer ? presentUserBasic(closer, baseUrl) : null,
  };
}

function tasksOf(description: string | null) {
  const tasks = countTasks(description);
  const { count, completed_count: done } = tasks;
  return {
    task_completion_status: tasks,
    has_tasks: count > 0,
    ...(count > 0 && {
      task_status: `${done} of ${count} checklist item${count === 1 ? '' : 's'} completed`,
    }),
  };
}

function addressesOf(row: IssueRow, fullPath: string, { baseUrl, inProject }: PresentOptions) {
  const project = `${baseUrl}/api/v4/projects/${row.project_id}`;
  const self = `${project}/issues/${row.iid}`;
  const short = `#${row.iid}`;
  const full = `${fullPath}${short}`;
  return {
    _links: {
      self,
      notes: `${self}/notes`,
      award_emoji: `${self}/award_emoji`,
      project,
      closed_as_duplicate_of: null,
    },
    references: { short, relative: inProject ? short : full, full },
  };
}
