import { isoTime, isoTimeOrNull, presentUserBasic } from '../../core/entities.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import { presentAuthor } from '../../core/users/ghost.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { Static } from '../../platform/http/schema.ts';
import { presentIssuable } from '../issuable.ts';
import { presentLabelDetails } from '../labels/entities.ts';
import { presentMilestone } from '../milestones/entities.ts';
import type { MergeRequestRow } from '../tables.ts';
import { timeStats } from '../time-stats/entity.ts';
import type { MergeRequestBasicJson, MergeRequestSimple } from './entities.ts';
import { autoMergeOf } from './merging/auto-merge.ts';
import { detailedMergeStatus, type MergeFacts, squashes } from './merging/mergeability.ts';
import { loadRelated, type ProjectFacts, type Related } from './related.ts';
import { loadProjects } from './related-store.ts';
import { countTasks } from './texts.ts';

export interface PresentOptions {
  baseUrl: string;
  /** `YYYY-MM-DD`: milestones are expired before it. */
  today: string;
  /** Whether all of the list is of one project: a reference needs no path then. */
  inProject: boolean;
  /** Labels as a whole, not only their names. */
  labelDetails?: boolean;
}

export async function presentMergeRequests(
  db: Queryable,
  rows: readonly MergeRequestRow[],
  options: PresentOptions,
): Promise<MergeRequestBasicJson[]> {
  const related = await loadRelated(db, rows);
  return rows.map((row) => presentBasic(row, related, options));
}

export async function presentSimple(
  db: Queryable,
  rows: readonly MergeRequestRow[],
  baseUrl: string,
): Promise<Static<typeof MergeRequestSimple>[]> {
  const projects = await loadProjects(
    db,
    rows.map((row) => row.project_id),
  );
  return rows.map((row) => simple(row, projects.get(row.project_id)!, baseUrl));
}

function simple(row: MergeRequestRow, project: ProjectFacts, baseUrl: string) {
  return {
    ...presentIssuable(row),
    web_url: `${baseUrl}/${project.full_path}/-/merge_requests/${row.iid}`,
  };
}

function presentBasic(
  row: MergeRequestRow,
  related: Related,
  options: PresentOptions,
): MergeRequestBasicJson {
  const { baseUrl } = options;
  const user = (id: number | null) => {
    const found = id === null ? undefined : related.users.get(id);
    return found ? presentUserBasic(found, baseUrl) : null;
  };
  const people = (ids: number[] = []) => ids.flatMap((id) => user(id) ?? []);
  const project = related.projects.get(row.project_id)!;
  const assignees = people(related.assignees.get(row.id));
  const merger = user(row.merged_by_id);
  const labels = related.labels.get(row.id) ?? [];
  const milestone = related.milestones.get(row.milestone_id ?? 0);
  const settings = projectSettings(project);
  const blocking = settings.only_allow_merge_if_all_discussions_are_resolved;
  const discussionsOpen = blocking && related.unresolved.has(row.id);
  return {
    ...simple(row, project, baseUrl),
    merged_by: merger,
    // Who will have merged it, once its pipeline has succeeded, counts too.
    merge_user: merger ?? user(autoMergeOf(row)?.userId ?? null),
    merged_at: isoTimeOrNull(row.merged_at),
    closed_by: user(row.closed_by_id),
    closed_at: isoTimeOrNull(row.closed_at),
    author: presentAuthor(related.users.get(row.author_id ?? 0), baseUrl),
    assignees,
    assignee: assignees[0] ?? null,
    reviewers: people(related.reviewers.get(row.id)),
    user_notes_count: related.noteCounts.get(row.id) ?? 0,
    upvotes: related.reactions.get(row.id)?.upvotes ?? 0,
    downvotes: related.reactions.get(row.id)?.downvotes ?? 0,
    time_stats: timeStats(row, related.spent.get(row.id)),
    labels: options.labelDetails ? labels.map(presentLabelDetails) : labels.map(({ name }) => name),
    milestone: milestone ? presentMilestone(milestone, options) : null,
    blocking_discussions_resolved: !discussionsOpen,
    squash_on_merge: squashes(settings.squash_option, row.squash === 1),
    detailed_merge_status: detailedMergeStatus(row, knownFacts(row, discussionsOpen)),
    ...ownFields(row),
    ...referencesOf(row, project.full_path, options.inProject),
  };
}

/** Without looking at the repository: what a list can say. The detail has the whole. */
const knownFacts = (row: MergeRequestRow, discussionsOpen: boolean): MergeFacts => ({
  complete: row.source_project_id !== null && row.changes_count > 0,
  discussionsOpen,
  pipeline: null,
  needsRebase: false,
});

function referencesOf(row: MergeRequestRow, fullPath: string, inProject: boolean) {
  const short = `!${row.iid}`;
  const full = `${fullPath}${short}`;
  return { reference: short, references: { short, relative: inProject ? short : full, full } };
}

/** What follows from the row alone, and what GitLab shows where a feature is not in use. */
function ownFields(row: MergeRequestRow) {
  const fromFork = row.source_project_id !== row.project_id;
  const draft = row.draft === 1;
  return {
    target_branch: row.target_branch,
    source_branch: row.source_branch,
    source_project_id: row.source_project_id,
    target_project_id: row.project_id,
    draft,
    work_in_progress: draft,
    imported: false,
    imported_from: 'none',
    merge_when_pipeline_succeeds: row.auto_merge !== null,
    merge_after: null,
    merge_status: row.merge_status,
    has_conflicts: row.merge_status === 'cannot_be_merged',
    sha: row.sha,
    merge_commit_sha: row.merge_commit_sha,
    squash_commit_sha: row.squash_commit_sha,
    discussion_locked: flag(row.discussion_locked),
    should_remove_source_branch: flag(row.should_remove_source_branch),
    force_remove_source_branch: row.force_remove_source_branch === 1,
    ...(fromFork && {
      allow_collaboration: row.allow_collaboration === 1,
      allow_maintainer_to_push: row.allow_collaboration === 1,
    }),
    prepared_at: isoTime(row.created_at),
    squash: row.squash === 1,
    task_completion_status: countTasks(row.description),
    approvals_before_merge: null,
  };
}

const flag = (value: number | null): boolean | null => (value === null ? null : value === 1);
