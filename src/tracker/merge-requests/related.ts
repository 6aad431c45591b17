import type { User } from '../../core/tables.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { type Reactions, reactionCounts } from '../award-emoji/store.ts';
import { loadLabels } from '../labels/links-store.ts';
import type { LabelRow } from '../labels/tables.ts';
import type { PlacedMilestone } from '../milestones/entities.ts';
import { loadMilestones } from '../milestones/store.ts';
import { countUserNotes, unresolvedThreads } from '../notes/store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { timeSpent } from '../time-stats/store.ts';
import { autoMergeOf } from './merging/auto-merge.ts';
import { loadPeople, loadProjects } from './related-store.ts';

export type ProjectFacts = { full_path: string; settings: string };

/** What a page of merge requests takes from other rows. */
export interface Related {
  users: Map<number, User>;
  assignees: Map<number, number[]>;
  reviewers: Map<number, number[]>;
  labels: Map<number, LabelRow[]>;
  milestones: Map<number, PlacedMilestone>;
  noteCounts: Map<number, number>;
  unresolved: Set<number>;
  reactions: Map<number, Reactions>;
  spent: Map<number, number>;
  projects: Map<number, ProjectFacts>;
}

/** As many queries for one as for a hundred. */
export async function loadRelated(db: Queryable, rows: readonly MergeRequestRow[]): Promise<Related> {
  const ids = rows.map((row) => row.id);
  const [assignees, reviewers, labels, milestones, noteCounts, unresolved, reactions, spent, projects] =
    await Promise.all([
      loadPeople(db, 'assignees', ids),
      loadPeople(db, 'reviewers', ids),
      loadLabels(db, 'merge_request', ids),
      loadMilestones(
        db,
        rows.map((row) => row.milestone_id),
      ),
      countUserNotes(db, 'MergeRequest', ids),
      unresolvedThreads(db, ids),
      reactionCounts(db, 'MergeRequest', ids),
      timeSpent(db, 'MergeRequest', ids),
      loadProjects(
        db,
        rows.map((row) => row.project_id),
      ),
    ]);
  const own = rows.flatMap((row) => [
    row.author_id,
    row.merged_by_id,
    row.closed_by_id,
    autoMergeOf(row)?.userId,
  ]);
  const others = [...assignees.values(), ...reviewers.values()].flat();
  const users = await findUsersByIds(
    db,
    [...own, ...others].flatMap((id) => id ?? []),
  );
  return {
    users,
    assignees,
    reviewers,
    labels,
    milestones,
    noteCounts,
    unresolved,
    reactions,
    spent,
    projects,
  };
}
